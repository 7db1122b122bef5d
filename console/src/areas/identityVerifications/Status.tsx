import type { RowOf } from '../../shared/api/useRead.ts';
import { useWords } from '../../shared/records/words.ts';
import { StatusBadge, type Tone } from '../../shared/ui/parts.tsx';
import { statusWords } from './texts.ts';

export type Row = RowOf<'/v3/admin/identity-verifications'>;

const tones = {
  PENDING: 'info',
  VERIFIED: 'good',
  EXHAUSTED: 'bad',
  EXPIRED: 'neutral',
  CANCELLED: 'neutral',
} as const satisfies Record<Row['status'], Tone>;

/** Where a verification stands, in a word. */
export function Status({ status }: { readonly status: Row['status'] }) {
  const word = useWords(statusWords);
  return <StatusBadge tone={tones[status]}>{word(status)}</StatusBadge>;
}
