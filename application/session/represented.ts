import type { SessionStarted } from '../../domain/session/events.ts';
import { organizationEtsi } from '../../domain/shared/etsi.ts';

/** The organization a session is on behalf of, for documents and pages; null: none. */
export function representedIn({
  onBehalfOf,
}: SessionStarted['data']): { readonly name: string; readonly etsi: string } | null {
  if (onBehalfOf === null) return null;
  return { name: onBehalfOf.name, etsi: organizationEtsi(onBehalfOf.register) };
}
