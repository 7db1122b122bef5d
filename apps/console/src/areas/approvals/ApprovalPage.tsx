import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAccount } from '../../shared/account.ts';
import { useRead } from '../../shared/api/useRead.ts';
import { problemTexts } from '../../../../../api/pages/words/problemTexts.ts';
import { FOLLOW_EVERY_MS, isOpen } from '../../shared/approvals.tsx';
import { approvalTexts } from '../../shared/approvalWords.ts';
import { revocationTexts } from '../../../../../api/pages/words/revocationReasons.ts';
import { ShortId } from '../../shared/names.tsx';
import { capabilityWords, roleWords } from '../../../../../api/pages/words/operatorWords.ts';
import { Subject } from '../../shared/records/subjects.tsx';
import { useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { useProblemWords } from '../../shared/useProblemWords.ts';
import { usePathParams } from '../../shared/usePathParams.ts';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { Effects } from '../../shared/ui/FourEyes.tsx';
import { type Fact, FactList, Section, Timestamp } from '../../shared/ui/parts.tsx';
import { Collect } from './Collect.tsx';
import { Approve, Reject } from './decisions.tsx';
import { isDecidable } from './deciding.ts';
import { Afterwards, Status, Who } from './parts.tsx';
import { texts } from './texts.ts';
import { TimeLeft } from './TimeLeft.tsx';
import type { FullApproval } from './types.ts';

/** Titles of the effects: planned, under way, carried out or never. */
const effectsTitles = {
  PENDING: 'whatHappens',
  APPROVED: 'whatChanges',
  EXECUTED: 'whatChanged',
  REJECTED: 'whatHappened',
  FAILED: 'whatHappened',
  EXPIRED: 'whatHappened',
} as const satisfies Record<FullApproval['status'], string>;

export default function ApprovalPage() {
  const t = useTexts(texts);
  const words = useTexts(approvalTexts);
  const account = useAccount();
  const { id } = usePathParams('id');
  const source = useRead(
    '/v3/admin/approvals/{id}',
    { params: { path: { id } } },
    {
      every: FOLLOW_EVERY_MS,
      until: (approval) => !isOpen(approval),
    },
  );
  return (
    <DetailPage
      source={source}
      title={({ operation }) => words(operation)}
      lead={(approval) => <Status status={approval.status} />}
      back={{ to: '/approvals', label: t('nav') }}
      subject={(approval) => approval.id}
      actions={(approval) =>
        isDecidable(account, approval) && (
          <>
            <Reject approval={approval} />
            <Approve approval={approval} />
          </>
        )
      }
    >
      {(approval) => (
        <Stack>
          <Section title={t('decision')}>
            <Stack gap="sm">
              <Text role="status">{<StatusText approval={approval} />}</Text>
              {isCollected(approval) && approval.requestedBy === account.id && (
                <Collect approval={approval} />
              )}
              <Decision approval={approval} />
            </Stack>
          </Section>
          <Section title={t(effectsTitles[approval.status])}>
            <Stack gap="sm">
              <Afterwards approval={approval} />
              <Effects effects={approval.effects} />
            </Stack>
          </Section>
          <Section title={t('request')}>
            <Request approval={approval} />
          </Section>
        </Stack>
      )}
    </DetailPage>
  );
}

/** True for commands that issue a secret or a link to one, shown once to the requester. */
function isCollected({ execution }: FullApproval): boolean {
  return execution === 'BY_REQUESTER';
}

/** Status of the approval, in a sentence. */
function StatusText({ approval }: { readonly approval: FullApproval }): ReactNode {
  const t = useTexts(texts);
  const capabilityName = useWords(capabilityWords);
  const account = useAccount();
  const { status, expiresAt, requestedBy, capability } = approval;
  if (status === 'PENDING') {
    return (
      <>
        {t('timeLeft')}: <TimeLeft until={expiresAt} />
        <br />
        {requestedBy === account.id && t('ownRequest')}
        {requestedBy !== account.id &&
          !isDecidable(account, approval) &&
          t('lacking', { capability: capabilityName(capability) })}
      </>
    );
  }
  if (status !== 'APPROVED' || !isCollected(approval)) return t(`is${status}`);
  return t(approval.command.byLink === true ? 'awaitsLink' : 'awaitsRequester');
}

/** Deciding operator, and the outcome. */
function Decision({ approval }: { readonly approval: FullApproval }) {
  const t = useTexts(texts);
  const problem = useWords(problemTexts);
  const problemWords = useProblemWords();
  const { decidedBy, decidedByEmail, decidedAt, reason, endedAt, code } = approval;
  const facts: Fact[] = [];
  if (decidedBy !== null) {
    facts.push(
      { label: t('decidedBy'), value: <Who id={decidedBy} email={decidedByEmail} /> },
      { label: t('decidedAt'), value: <Timestamp value={decidedAt} /> },
    );
  }
  if (reason !== null) facts.push({ label: t('rejectionReason'), value: reason });
  if (endedAt !== null) facts.push({ label: t('endedAt'), value: <Timestamp value={endedAt} /> });
  if (code !== null)
    facts.push({
      label: t('failureCode'),
      value: code in problemTexts.keys ? problem(code) : (problemWords(code)?.title ?? code),
      copy: code,
    });
  return facts.length === 0 ? null : <FactList facts={facts} />;
}

/** Requested command, requester and reason. */
function Request({ approval }: { readonly approval: FullApproval }) {
  const t = useTexts(texts);
  const reasons = useTexts(revocationTexts);
  const roleName = useTexts(roleWords);
  const capabilityName = useWords(capabilityWords);
  const { command, comment, subject } = approval;
  const { reason, role } = command;
  const reasonKey = `reason${String(reason)}`;
  return (
    <FactList
      facts={[
        {
          label: t('requestedBy'),
          value: <Who id={approval.requestedBy} email={approval.requestedByEmail} />,
        },
        { label: t('requestedAt'), value: <Timestamp value={approval.requestedAt} /> },
        { label: t('comment'), value: comment ?? t('noComment') },
        {
          label: t('subject'),
          value: <Subject id={subject} />,
          copy: subject,
        },
        ...(reason === undefined
          ? []
          : [
              {
                label: t('revocationReason'),
                value:
                  reasonKey in revocationTexts.keys
                    ? `${reasons(reasonKey as keyof typeof revocationTexts.keys)} (${reason})`
                    : reason,
              },
            ]),
        ...(role === undefined ? [] : [{ label: t('newRole'), value: roleName(role) }]),
        { label: t('expiresAt'), value: <Timestamp value={approval.expiresAt} /> },
        { label: t('capability'), value: capabilityName(approval.capability) },
        {
          label: t('hash'),
          value: <ShortId id={approval.commandHash} />,
          copy: approval.commandHash,
        },
      ]}
    />
  );
}
