import type { RowOf } from '../../shared/api/useRead.ts';
import { useWords } from '../../shared/records/words.ts';
import { StatusBadge, type Tone } from '../../shared/ui/parts.tsx';
import { statusWords } from './texts.ts';

export type Row = RowOf<'/v3/admin/documents'>;

const tones = {
  DRAFT: 'neutral',
  PENDING_APPROVAL: 'waiting',
  APPROVED: 'good',
  REJECTED: 'bad',
} as const satisfies Record<Row['status'], Tone>;

/** Status of a document. */
export function Status({ status }: { readonly status: Row['status'] }) {
  const word = useWords(statusWords);
  return <StatusBadge tone={tones[status]}>{word(status)}</StatusBadge>;
}
