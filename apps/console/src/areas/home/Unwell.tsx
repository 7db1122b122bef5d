import { HealthList } from '../../shared/health/HealthList.tsx';
import type { System } from '../../shared/health/isWell.ts';
import { useHealth } from '../../shared/health/useHealth.ts';

/** Parts of the service that are not well, with what follows and what to do. */
export default function Unwell({ system }: { readonly system: System }) {
  const findings = useHealth()(system);
  return <HealthList findings={findings.filter(({ isWell }) => !isWell)} />;
}
