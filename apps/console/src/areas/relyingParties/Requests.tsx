import { Code, Skeleton, Text } from '@mantine/core';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import type { Column } from '../../shared/ui/columns.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { Copy } from '../../shared/ui/Copy.tsx';
import { type Fact, FactList, Section, Timestamp, useFormats } from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { useProblemWords } from '../../shared/useProblemWords.ts';
import { whole } from '../../shared/whole.ts';
import { ruleWords, requestTexts } from './requestTexts.ts';

type RequestLog = AnswerOf<'/v3/admin/relying-parties/{id}/requests'>;
type Refused = RequestLog['refused'][number];

const REFRESH_MS = 10_000;

/** Use of the API by a relying party, and its last refused requests, for its developer. */
export function Requests({ id }: { readonly id: string }) {
  const t = useTexts(requestTexts);
  const { data, error, refetch } = useRead(
    '/v3/admin/relying-parties/{id}/requests',
    { params: { path: { id } } },
    { every: REFRESH_MS },
  );
  return (
    <>
      <Section title={t('use')}>
        {error !== null && <ProblemAlert error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton height={120} />}
        {data !== undefined && <Use log={data} />}
      </Section>
      {data !== undefined && (
        <Section title={t('refused')}>
          <Text size="sm" c="dimmed" mb="sm">
            {t('refusedLead', { days: data.days })}
          </Text>
          <RefusedRequests refused={data.refused} />
        </Section>
      )}
    </>
  );
}

interface Operation {
  readonly operation: string;
  readonly accepted: number;
  readonly refused: number;
  readonly lastAt: string;
}

/** Counts of each operation, over its outcomes. */
function operationsIn(counts: RequestLog['counts']): readonly Operation[] {
  const found = new Map<string, Operation>();
  for (const { operation, code, requests, lastAt } of counts) {
    const known = found.get(operation) ?? { operation, accepted: 0, refused: 0, lastAt };
    found.set(operation, {
      operation,
      accepted: known.accepted + (code === null ? requests : 0),
      refused: known.refused + (code === null ? 0 : requests),
      lastAt: known.lastAt > lastAt ? known.lastAt : lastAt,
    });
  }
  return [...found.values()].sort((one, other) => other.lastAt.localeCompare(one.lastAt));
}

function Use({ log }: { readonly log: RequestLog }) {
  const t = useTexts(requestTexts);
  const { number } = useFormats();
  const operations = operationsIn(log.counts);
  const sum = (of: 'accepted' | 'refused') =>
    number(operations.reduce((total, each) => total + each[of], 0));
  const facts: readonly Fact[] = [
    { label: t('lastCall'), value: <Timestamp value={operations[0]?.lastAt} /> },
    { label: t('acceptedIn', { days: log.days }), value: sum('accepted') },
    { label: t('refusedIn', { days: log.days }), value: sum('refused') },
  ];
  const columns: readonly Column<Operation>[] = [
    { key: 'operation', header: t('operation'), cell: (row) => <Code>{row.operation}</Code> },
    { key: 'accepted', header: t('accepted'), align: 'end', cell: (row) => number(row.accepted) },
    { key: 'refusals', header: t('refusals'), align: 'end', cell: (row) => number(row.refused) },
    { key: 'last', header: t('last'), cell: (row) => <Timestamp value={row.lastAt} /> },
  ];
  return (
    <>
      <FactList facts={facts} />
      {operations.length > 0 && (
        <DataTable
          isWhole
          label={t('use')}
          columns={columns}
          source={whole(operations)}
          rowKey={({ operation }) => operation}
        />
      )}
    </>
  );
}

function RefusedRequests({ refused }: { readonly refused: readonly Refused[] }) {
  const t = useTexts(requestTexts);
  const columns: readonly Column<Refused>[] = [
    { key: 'at', header: t('at'), cell: (row) => <Timestamp value={row.at} /> },
    {
      key: 'problem',
      header: t('problem'),
      cell: (row) => <Problem {...row} />,
    },
    { key: 'operation', header: t('operation'), cell: (row) => <Code>{row.operation}</Code> },
    { key: 'faults', header: t('faults'), cell: (row) => <Faults faults={row.faults} /> },
    {
      key: 'requestId',
      header: t('requestId'),
      cell: ({ requestId }) => (
        <>
          <Code>{requestId.slice(0, 8)}…</Code> <Copy value={requestId} about={t('requestId')} />
        </>
      ),
    },
  ];
  if (refused.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('noneRefused')}
      </Text>
    );
  }
  return (
    <DataTable
      isWhole
      label={t('refused')}
      columns={columns}
      source={whole(refused)}
      rowKey={({ requestId, at }) => `${at} ${requestId}`}
    />
  );
}

/** A problem as its page of the documentation tells it. */
function Problem({ code, status }: Pick<Refused, 'code' | 'status'>) {
  const words = useProblemWords()(code);
  return (
    <>
      {words?.title}{' '}
      <Code>
        {status} {code}
      </Code>
      <Text size="xs" c="dimmed" component="div" maw="36rem">
        {words?.todo}
      </Text>
    </>
  );
}

function Faults({ faults }: Pick<Refused, 'faults'>) {
  const rule = useWords(ruleWords);
  const t = useTexts(requestTexts);
  if (faults.length === 0) return '—';
  return faults.map((fault, index) => (
    <div key={`${fault.pointer} ${index}`}>
      <Code>{fault.pointer}</Code>{' '}
      {fault.rule !== null && fault.rule in ruleWords.keys ? rule(fault.rule) : t('otherRule')}
    </div>
  ));
}
