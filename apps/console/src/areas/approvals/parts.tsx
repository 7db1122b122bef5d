import { useAccount } from '../../shared/account.ts';
import { approvalTexts, approvalTones, type ApprovalStatus } from '../../shared/approvalWords.ts';
import { Name } from '../../shared/names.tsx';
import { useTexts } from '../../shared/texts.ts';
import { StatusBadge } from '../../shared/ui/parts.tsx';
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
  if (id === account.id) return <span title={id}>{t('you')}</span>;
  return email === null ? <Name id={id} /> : <span title={id}>{email}</span>;
}
