import type { AnswerOf } from '../../shared/api/useRead.ts';
import { useTexts } from '../../shared/texts.ts';
import { StatusBadge } from '../../shared/ui/parts.tsx';
import { texts } from './texts.ts';

export type Organization = AnswerOf<'/v3/admin/organizations/{etsi}'>;

const tones = {
  PENDING: 'waiting',
  VERIFIED: 'info',
  ACTIVE: 'good',
  SUSPENDED: 'waiting',
  REVOKED: 'bad',
} as const;

/** Status of the organization. */
export function Status({ status }: { readonly status: Organization['status'] }) {
  const t = useTexts(texts);
  return <StatusBadge tone={tones[status]}>{t(status)}</StatusBadge>;
}
