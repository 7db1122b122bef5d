import { Text } from '@mantine/core';
import { useAccount } from '../../shared/account.ts';
import { approvalTexts, approvalTones, type ApprovalStatus } from '../../shared/approvalWords.ts';
import { Name, useNameOf } from '../../shared/names.tsx';
import { useTexts } from '../../shared/texts.ts';
import { StatusBadge } from '../../shared/ui/parts.tsx';
import type { FullApproval } from './types.ts';
import { texts } from './texts.ts';

export function Status({ status }: { readonly status: ApprovalStatus }) {
  const t = useTexts(approvalTexts);
  return <StatusBadge tone={approvalTones[status]}>{t(status)}</StatusBadge>;
}

/** Name of an operator: "you", the e-mail, or how else they came in; the id on hover. */
export function Who({ id, email }: { readonly id: string | null; readonly email: string | null }) {
  const t = useTexts(texts);
  const account = useAccount();
  if (id === null) return <>—</>;
  if (id === account.id) {
    return (
      <span title={id} data-in-files={email ?? id}>
        {t('you')}
      </span>
    );
  }
  return email === null ? <Name id={id} /> : <span title={id}>{email}</span>;
}

const CERTIFICATE_HOLD = 6;

function sentenceOf({ operation, command, execution }: FullApproval) {
  const isHold = operation === 'certificate.revoke' && command.reason === CERTIFICATE_HOLD;
  if (operation === 'oidcClient.register' && execution === 'AT_ONCE') return 'oidcClient.bare';
  if (command.byLink === true) return command.settings ? 'registered.byLink' : 'secret.byLink';
  return isHold ? 'certificate.hold' : operation;
}

/** Effect on another thing than the subject, which an id names. */
const OTHER = /[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,40}/;

/** Sentences on what is true once it is carried out: of whom, what ends with it, who asked and why. */
export function Afterwards({ approval }: { readonly approval: FullApproval }) {
  const t = useTexts(texts);
  const account = useAccount();
  const nameOf = useNameOf();
  const { command, subject, requestedBy, requestedByEmail, comment, effects } = approval;
  const others = effects.flatMap(({ target }) => OTHER.exec(target)?.[0] ?? []);
  const things = others.filter((id) => id !== subject).map(nameOf);
  const who = requestedBy === account.id ? t('you') : (requestedByEmail ?? nameOf(requestedBy));
  return (
    <Text size="sm">
      {t(sentenceOf(approval), { name: command.settings?.name ?? nameOf(subject) })}{' '}
      {things.length > 0 && `${t('alsoEnds', { things: things.join(', ') })} `}
      {comment === null ? t('askedNoWhy', { who }) : t('askedWhy', { who, reason: comment })}
    </Text>
  );
}
