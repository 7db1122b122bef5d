import { useTexts } from '../../shared/texts.ts';
import { StatusBadge } from '../../shared/ui/parts.tsx';
import { texts } from './texts.ts';

/** Whether citizens can log in through it, in a word. */
export function State({ isActive }: { readonly isActive: boolean }) {
  const t = useTexts(texts);
  return (
    <StatusBadge tone={isActive ? 'good' : 'neutral'}>
      {t(isActive ? 'active' : 'inactive')}
    </StatusBadge>
  );
}
