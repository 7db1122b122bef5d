import { Fragment, type ReactNode } from 'react';
import type { RowOf } from '../../shared/api/useRead.ts';
import { approvalTexts } from '../../shared/approvalWords.ts';
import { tailOf } from '../../shared/names.tsx';
import { permissionWords } from '../../../../../api/pages/words/permissionWords.ts';
import { roleWords } from '../../../../../api/pages/words/operatorWords.ts';
import {
  ActiveState,
  CertificateStatus,
  type CertificateRow,
  type DeviceRow,
  SessionOutcome,
} from '../../shared/records/statuses.tsx';
import {
  certificateTypeWords,
  platformWords,
  recordTexts,
  sessionKindWords,
  useWords,
} from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { Timestamp, useFormats } from '../../shared/ui/parts.tsx';

/** Words that tell a thing found apart from others of its name; ends of ids only where a person has several alike. */
function Told({ words }: { readonly words: readonly ReactNode[] }) {
  return words.map((word, index) => (
    <Fragment key={index}>
      {index > 0 && ' · '}
      {word}
    </Fragment>
  ));
}

export function CertificateTold({ row }: { readonly row: CertificateRow }) {
  const t = useTexts(recordTexts);
  const type = useWords(certificateTypeWords);
  const { date } = useFormats();
  const ends = `${t('validUntil')} ${date(row.notAfter)}`;
  return (
    <Told
      words={[
        type(row.type),
        <CertificateStatus status={row.status} />,
        ends,
        `…${tailOf(row.serial)}`,
      ]}
    />
  );
}

export function DeviceTold({ row }: { readonly row: DeviceRow }) {
  const platform = useWords(platformWords);
  return (
    <Told
      words={[
        platform(row.platform),
        <ActiveState isActive={row.active} />,
        <Timestamp value={row.enrolledAt} />,
        `…${tailOf(row.documentNumber)}`,
      ]}
    />
  );
}

export function SessionTold({ row }: { readonly row: RowOf<'/v3/admin/sessions'> }) {
  const kind = useWords(sessionKindWords);
  return (
    <Told
      words={[
        kind(row.kind),
        <SessionOutcome endResult={row.endResult} />,
        <Timestamp value={row.startedAt} isExact />,
        `…${tailOf(row.sessionId)}`,
      ]}
    />
  );
}

export function RelyingPartyTold({ row }: { readonly row: RowOf<'/v3/admin/relying-parties'> }) {
  const permission = useTexts(permissionWords);
  const permissions = row.permissions.map((each) => permission(each)).join(', ');
  return <Told words={[<ActiveState isActive={row.active} />, permissions]} />;
}

export function ClientTold({ row }: { readonly row: RowOf<'/v3/admin/oidc-clients'> }) {
  return (
    <Told words={[<ActiveState isActive={row.active} />, <Timestamp value={row.registeredAt} />]} />
  );
}

export function ApprovalTold({ row }: { readonly row: RowOf<'/v3/admin/approvals'> }) {
  const words = useTexts(approvalTexts);
  return (
    <Told
      words={[
        words(row.operation),
        words(row.status),
        <Timestamp value={row.requestedAt} isExact />,
      ]}
    />
  );
}

export function OperatorTold({ row }: { readonly row: RowOf<'/v3/admin/admins'> }) {
  const role = useTexts(roleWords);
  return <Told words={[role(row.role), <ActiveState isActive={row.active} />]} />;
}
