import { Stack, Text } from '@mantine/core';
import { type AnswerOf, useRead } from '../../shared/api/useRead.ts';
import { AuditOutcome } from '../../shared/records/statuses.tsx';
import { ActorName, Subject } from '../../shared/records/subjects.tsx';
import { capabilityWords } from '../../../../../api/pages/words/operatorWords.ts';
import { fieldWords } from '../../../../../api/pages/words/fieldWords.ts';
import { auditWords, useWords } from '../../shared/records/words.ts';
import { ShortId } from '../../shared/names.tsx';
import { useTexts } from '../../shared/texts.ts';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { BeforeAfter, FactList, Section, Timestamp } from '../../shared/ui/parts.tsx';
import { usePathParams } from '../../shared/usePathParams.ts';
import { Logged } from './Logged.tsx';
import { Proof } from './Proof.tsx';
import { texts } from './texts.ts';

type Entry = AnswerOf<'/v3/admin/audit/{eventId}'>;

export default function EntryPage() {
  const t = useTexts(texts);
  const word = useWords(auditWords);
  const { eventId } = usePathParams('eventId');
  const source = useRead('/v3/admin/audit/{eventId}', { params: { path: { eventId } } });
  return (
    <DetailPage
      source={source}
      title={(entry) => word(entry.type)}
      lead={(entry) => <AuditOutcome outcome={entry.outcome} />}
      back={{ to: '/audit', label: t('nav') }}
    >
      {(entry) => <Parts entry={entry} />}
    </DetailPage>
  );
}

function Parts({ entry }: { readonly entry: Entry }) {
  const t = useTexts(texts);
  const fieldName = useWords(fieldWords);
  const capabilityName = useWords(capabilityWords);
  const changes = changesOf(entry).map((change) => ({
    ...change,
    target: fieldName(change.target),
  }));
  const details = Object.entries(entry.details);
  return (
    <Stack>
      <Section title={t('about')}>
        <FactList
          facts={[
            { label: t('at'), value: <Timestamp value={entry.at} isExact /> },
            { label: t('who'), value: <ActorName actor={entry.actor} />, copy: entry.actor.id },
            {
              label: t('toWhat'),
              value: <Subject id={entry.subject} />,
              copy: entry.subject,
            },
            {
              label: t('person'),
              value: entry.person === null ? null : <Subject id={entry.person} />,
              copy: entry.person,
            },
            { label: t('capability'), value: entry.capability && capabilityName(entry.capability) },
            {
              label: t('requestId'),
              value: entry.requestId && <ShortId id={entry.requestId} />,
              copy: entry.requestId,
            },
            { label: t('ip'), value: entry.ip },
            { label: t('position'), value: entry.position },
            {
              label: t('eventId'),
              value: <ShortId id={entry.eventId} />,
              copy: entry.eventId,
            },
          ]}
        />
      </Section>
      <Section title={t('changes')}>
        {changes.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('noChanges')}
          </Text>
        ) : (
          <BeforeAfter changes={changes} />
        )}
      </Section>
      {details.length > 0 && (
        <Section title={t('details')}>
          <FactList
            facts={details.map(([field, value]) => ({
              label: fieldName(field),
              value: <Logged value={value} field={field} />,
            }))}
          />
        </Section>
      )}
      <Section title={t('proof')}>
        <Proof eventId={entry.eventId} />
      </Section>
    </Stack>
  );
}

/** Changed fields. */
function changesOf({ before, after }: Pick<Entry, 'before' | 'after'>) {
  const former = withoutGroups(before);
  const present = withoutGroups(after);
  return [...new Set([...Object.keys(former), ...Object.keys(present)])]
    .filter(
      (target) =>
        JSON.stringify(former[target] ?? null) !== JSON.stringify(present[target] ?? null),
    )
    .map((target) => ({
      target,
      before: <Logged value={former[target]} field={target} />,
      after: <Logged value={present[target]} field={target} />,
    }));
}

/** Fields, those of a group (settings) beside the others. */
function withoutGroups(state: Entry['before']): Readonly<Record<string, unknown>> {
  const fields = Object.entries(state ?? {}).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value)
      : [[name, value] as const],
  );
  return Object.fromEntries(fields);
}
