import { Skeleton, Stack, Text } from '@mantine/core';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { HealthList } from '../../shared/health/HealthList.tsx';
import { useHealth } from '../../shared/health/useHealth.ts';
import { methodWords } from '../../../../../api/pages/words/verificationWords.ts';
import { useWords } from '../../shared/records/words.ts';
import { sharedTexts } from '../../shared/sharedTexts.ts';
import { useTexts } from '../../shared/texts.ts';
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
import { ParkedEvents } from './ParkedEvents.tsx';
import { Pki } from './Pki.tsx';
import { texts } from './texts.ts';
import { Undelivered } from './Undelivered.tsx';
import { configurationTexts } from './words.ts';

export type System = AnswerOf<'/v3/admin/system'>;
/** Tones of methods of identity proofing. */
const tones: Readonly<Record<State, Tone>> = {
  active: 'good',
  degraded: 'waiting',
  disabled: 'neutral',
  not_configured: 'neutral',
};

type State = System['identityVerification'][number]['state'];

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
  const methodWord = useWords(methodWords);
  const uptime = useUptime(system.uptimeSeconds);
  const findings = useHealth()(system);
  return (
    <>
      <Section title={t('health')}>
        <HealthList findings={findings} />
      </Section>
      <ParkedEvents events={system.parkedEvents} />
      <Undelivered recipients={system.undelivered} />
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
            label: methodWord(method),
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
