import type { RowOf } from '../api/useRead.ts';
import { useTexts } from '../texts.ts';
import { StatusBadge, type Tone } from '../ui/parts.tsx';
import { certificateStatusWords, endResultWords, recordTexts, useWords } from './words.ts';

export type CertificateRow = RowOf<'/v3/admin/certificates'>;
export type DeviceRow = RowOf<'/v3/admin/devices'>;
export type AuditRow = RowOf<'/v3/admin/audit'>;

const certificateTones = {
  REQUESTED: 'waiting',
  VALID: 'good',
  SUPERSEDED: 'neutral',
  SUSPENDED: 'waiting',
  EXPIRED: 'neutral',
  REVOKED: 'bad',
} as const satisfies Record<CertificateRow['status'], Tone>;

export function CertificateStatus({ status }: { readonly status: CertificateRow['status'] }) {
  const word = useWords(certificateStatusWords);
  return <StatusBadge tone={certificateTones[status]}>{word(status)}</StatusBadge>;
}

/** Active or inactive, as a badge. */
export function ActiveState({ isActive }: { readonly isActive: boolean }) {
  const t = useTexts(recordTexts);
  return (
    <StatusBadge tone={isActive ? 'good' : 'neutral'}>
      {t(isActive ? 'active' : 'inactive')}
    </StatusBadge>
  );
}

export function AuditOutcome({ outcome }: { readonly outcome: AuditRow['outcome'] }) {
  const t = useTexts(recordTexts);
  return (
    <StatusBadge tone={outcome === 'OK' ? 'neutral' : 'bad'}>
      {t(outcome === 'OK' ? 'ok' : 'denied')}
    </StatusBadge>
  );
}

/** End results that nobody is to blame for. */
const neutral: readonly string[] = ['TIMEOUT', 'CANCELLED_BY_RP'];

/** Outcome of a session; null: running. */
export function SessionOutcome({ endResult }: { readonly endResult: string | null }) {
  const t = useTexts(recordTexts);
  const word = useWords(endResultWords);
  if (endResult === null) return <StatusBadge tone="info">{t('running')}</StatusBadge>;
  return (
    <StatusBadge
      tone={endResult === 'OK' ? 'good' : neutral.includes(endResult) ? 'neutral' : 'bad'}
    >
      {word(endResult)}
    </StatusBadge>
  );
}
