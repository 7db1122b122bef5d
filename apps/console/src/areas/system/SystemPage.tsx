import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
import { type Column, DataTable } from '../../shared/ui/DataTable.tsx';
import {
  type Fact,
  FactList,
  PageHeader,
  Section,
  StatusBadge,
  Timestamp,
  type Tone,
  useFormats,
} from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import { whole } from '../../shared/whole.ts';
import { Pki } from './Pki.tsx';
import { configurationTexts, texts } from './texts.ts';
import { Undelivered } from './Undelivered.tsx';

export type System = AnswerOf<'/v3/admin/system'>;
/** Tones of dependencies and methods of identity proofing. */
const tones: Readonly<Record<State, Tone>> = {
  up: 'good',
  active: 'good',
  degraded: 'waiting',
  down: 'bad',
  disabled: 'neutral',
  not_configured: 'neutral',
};

type State =
  System['dependencies'][number]['state'] | System['identityVerification'][number]['state'];

const REFRESH_MS = 10_000;

export default function SystemPage() {
  const t = useTexts(texts);
  const { data, error, refetch } = useRead('/v3/admin/system', {}, { every: REFRESH_MS });
  return (
    <>
      <PageHeader
        title={t('nav')}
        lead={
          data === undefined ? ' ' : t('lead', { version: data.version, profile: data.profile })
        }
      />
      <Stack gap="md">
        {error !== null && <ProblemAlert error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton height={320} />}
        {data !== undefined && <Status system={data} />}
        <Pki />
      </Stack>
    </>
  );
}

function Status({ system }: { readonly system: System }) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const uptime = useUptime(system.uptimeSeconds);
  const dependencies: readonly Column<System['dependencies'][number]>[] = [
    { key: 'name', header: t('name'), cell: ({ name }) => name },
    {
      key: 'state',
      header: t('state'),
      align: 'end',
      cell: ({ state }) => <StatusBadge tone={tones[state]}>{t(state)}</StatusBadge>,
    },
  ];
  const projections: readonly Column<System['projections'][number]>[] = [
    { key: 'name', header: t('name'), cell: ({ name }) => name },
    { key: 'state', header: t('state'), cell: ({ state }) => state },
    {
      key: 'parked',
      header: t('parked'),
      align: 'end',
      cell: ({ name }) =>
        number(system.parked.find(({ projection }) => projection === name)?.rows ?? 0),
    },
    {
      key: 'lag',
      header: t('lag'),
      align: 'end',
      cell: ({ lagSeconds }) => t('seconds', { value: number(Math.round(lagSeconds * 100) / 100) }),
    },
  ];
  return (
    <>
      <Section title={t('program')}>
        <FactList
          facts={[
            { label: t('version'), value: system.version, copy: system.version },
            { label: t('profile'), value: system.profile },
            { label: t('roles'), value: system.roles.join(', ') },
            { label: t('startedAt'), value: <Timestamp value={system.startedAt} /> },
            { label: t('uptime'), value: uptime },
          ]}
        />
      </Section>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Section title={t('dependencies')}>
          <DataTable
            isWhole
            label={t('dependencies')}
            columns={dependencies}
            source={whole(system.dependencies)}
            rowKey={({ name }) => name}
          />
        </Section>
        <Section title={t('projections')}>
          <DataTable
            isWhole
            label={t('projections')}
            columns={projections}
            source={whole(system.projections)}
            rowKey={({ name }) => name}
          />
        </Section>
      </SimpleGrid>
      {system.deadLetters.length > 0 && (
        <Section title={t('deadLetters')}>
          <FactList
            facts={system.deadLetters.map(({ reactor, events }) => ({
              label: reactor,
              value: number(events),
            }))}
          />
        </Section>
      )}
      <Undelivered recipients={system.undelivered} />
      {system.archive.newestAt !== null && (
        <Section title={t('archive')}>
          <FactList
            facts={[
              { label: t('archivedSessions'), value: number(system.archive.sessions) },
              { label: t('archivedEvents'), value: number(system.archive.events) },
              {
                label: t('archivedBytes'),
                value: t('megabytes', { value: number(Math.ceil(system.archive.bytes / 1e6)) }),
              },
              { label: t('archivedAt'), value: <Timestamp value={system.archive.newestAt} /> },
            ]}
          />
        </Section>
      )}
      <Section title={t('configuration')}>
        <Text size="sm" c="dimmed" mb="sm">
          {t('configurationLead')}
        </Text>
        <Configuration configuration={system.configuration} />
      </Section>
      <Section title={t('verification')}>
        <FactList
          facts={system.identityVerification.map(({ method, state, missing }) => ({
            label: method,
            value: (
              <>
                <StatusBadge tone={tones[state]}>{t(state)}</StatusBadge>
                {missing.length > 0 && (
                  <Text size="sm" c="dimmed">
                    {missing.join(', ')}
                  </Text>
                )}
              </>
            ),
          }))}
        />
      </Section>
    </>
  );
}

function Configuration({ configuration }: { readonly configuration: System['configuration'] }) {
  const t = useTexts(configurationTexts);
  const s = useTexts(sharedTexts);
  const names = Object.keys(configuration) as (keyof System['configuration'])[];
  const facts: readonly Fact[] = names.map((name) => ({
    label: t(name),
    value: (
      <StatusBadge tone={configuration[name] ? 'good' : 'neutral'}>
        {s(configuration[name] ? 'yes' : 'no')}
      </StatusBadge>
    ),
  }));
  return <FactList facts={facts} />;
}

function useUptime(seconds: number): string {
  const t = useTexts(texts);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return hours >= 24
    ? t('days', { days: Math.floor(hours / 24), hours: hours % 24 })
    : t('hours', { hours, minutes: minutes % 60 });
}
