import type { AnswerOf } from '../../shared/api/useRead.ts';
import { CertificateStatus } from '../../shared/records/statuses.tsx';
import { RecordLink, Subject } from '../../shared/records/subjects.tsx';
import { useHolderName } from '../../shared/records/tables.tsx';
import {
  authorityWords,
  certificateTypeWords,
  levelWords,
  useReason,
  useWords,
} from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { type Fact, StatusBadge, Timestamp, type Tone } from '../../shared/ui/parts.tsx';
import { texts } from './texts.ts';

export type Certificate = AnswerOf<'/v3/admin/certificates/{serial}'>;

const answers = {
  REQUESTED: ['unknown', 'neutral'],
  VALID: ['good', 'good'],
  SUPERSEDED: ['good', 'good'],
  EXPIRED: ['good', 'neutral'],
  SUSPENDED: ['held', 'waiting'],
  REVOKED: ['revoked', 'bad'],
} as const satisfies Record<Certificate['status'], readonly [string, Tone]>;

/** Status that CRL and OCSP report, and the reason. */
export function usePublicStatus(certificate: Certificate): readonly Fact[] {
  const t = useTexts(texts);
  const word = useReason();
  const { status, revocationReason: reason, revokedAt } = certificate;
  const [answer, tone] = answers[status];
  const isListed = status === 'REVOKED' || status === 'SUSPENDED';
  const facts: readonly Fact[] = [
    { label: 'OCSP', value: <StatusBadge tone={tone}>{t(answer)}</StatusBadge> },
    { label: 'CRL', value: t(isListed ? 'inCrl' : 'notInCrl') },
  ];
  if (!isListed) return facts;
  return [
    ...facts,
    { label: t('reason'), value: reason === null ? null : word(reason) },
    { label: t('since'), value: <Timestamp value={revokedAt} isExact /> },
  ];
}

/** Content and holder of a certificate. */
export function useFacts(certificate: Certificate): readonly Fact[] {
  const t = useTexts(texts);
  const type = useWords(certificateTypeWords);
  const level = useWords(levelWords);
  const authority = useWords(authorityWords);
  const { serial, fingerprint, supersededBy, issuerDn } = certificate;
  const successor = supersededBy !== null && (
    <RecordLink to={`/certificates/${supersededBy}`} capability="cert:read">
      {supersededBy}
    </RecordLink>
  );
  return [
    { label: t('status'), value: <CertificateStatus status={certificate.status} /> },
    ...useHolderFacts(certificate),
    { label: t('use'), value: type(certificate.type) },
    { label: t('level'), value: certificate.level === null ? null : level(certificate.level) },
    { label: t('key'), value: certificate.keyType },
    { label: t('serial'), value: serial, copy: serial },
    { label: t('authority'), value: authority(certificate.authority) },
    { label: t('issuer'), value: issuerDn, copy: issuerDn },
    { label: t('fingerprint'), value: fingerprint, copy: fingerprint },
    ...(successor === false ? [] : [{ label: t('supersededBy'), value: successor }]),
  ];
}

function useHolderFacts({ holder }: Certificate): readonly Fact[] {
  const t = useTexts(texts);
  const holderName = useHolderName();
  if (holder.kind === 'service') {
    return [{ label: t('holder'), value: `${holderName(holder)} · ${holder.purpose}` }];
  }
  const isCitizen = holder.kind === 'citizen';
  const path = isCitizen ? `/citizens/${holder.etsi}` : `/organizations/${holder.etsi}`;
  const name = (
    <RecordLink to={path} capability={isCitizen ? 'user:read' : 'org:read'}>
      {holder.name}
    </RecordLink>
  );
  if (!isCitizen) return [{ label: t('holder'), value: name }];
  const device = <Subject id={holder.documentNumber} />;
  return [
    { label: t('holder'), value: name },
    { label: t('device'), value: device, copy: holder.documentNumber },
  ];
}
