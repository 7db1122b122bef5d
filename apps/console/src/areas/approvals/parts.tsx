import { useAccount } from '../../shared/account.ts';
import { approvalTexts, approvalTones, type ApprovalStatus } from '../../shared/approvalWords.ts';
import { useTexts } from '../../shared/texts.ts';
import { StatusBadge } from '../../shared/ui/parts.tsx';
import { texts } from './texts.ts';

export function Status({ status }: { readonly status: ApprovalStatus }) {
  const t = useTexts(approvalTexts);
  return <StatusBadge tone={approvalTones[status]}>{t(status)}</StatusBadge>;
}

/** Name of an operator: "you", the e-mail, or the id. */
export function Who({ id, email }: { readonly id: string | null; readonly email: string | null }) {
  const t = useTexts(texts);
  const account = useAccount();
  if (id === null) return <>—</>;
  return <>{id === account.id ? t('you') : (email ?? id)}</>;
}
