import { Stack, Text } from '@mantine/core';
import { useRead } from '../../shared/api/useRead.ts';
import { SessionOutcome } from '../../shared/records/statuses.tsx';
import { Timeline } from '../../shared/records/Timeline.tsx';
import { sessionKindWords, useWords } from '../../shared/records/words.ts';
import { useLanguage, useTexts } from '../../shared/texts.ts';
import { DetailPage } from '../../shared/ui/DetailPage.tsx';
import { FactList, Section } from '../../shared/ui/parts.tsx';
import { useAsOf } from '../../shared/useAsOf.ts';
import { usePathParams } from '../../shared/usePathParams.ts';
import { askedBy, type Session, useAnswer, useRequest, useTimes } from './facts.tsx';
import { Shown } from './Shown.tsx';
import { texts } from './texts.ts';

export default function SessionPage() {
  const t = useTexts(texts);
  const kind = useWords(sessionKindWords);
  const { sessionId } = usePathParams('sessionId');
  const { query } = useAsOf();
  const source = useRead('/v3/admin/sessions/{sessionId}', {
    params: { path: { sessionId }, query },
  });
  return (
    <DetailPage
      source={source}
      title={(session) => `${kind(session.kind)} · ${askedBy(session)}`}
      lead={(session) => <SessionOutcome endResult={session.endResult} />}
      back={{ to: '/sessions', label: t('nav') }}
      since={(session) => session.startedAt}
      subject={(session) => session.sessionId}
    >
      {(session) => <Parts session={session} />}
    </DetailPage>
  );
}

function Parts({ session }: { readonly session: Session }) {
  const t = useTexts(texts);
  const answer = useAnswer(session);
  return (
    <Stack>
      <Why session={session} />
      <Section title={t('timeline')}>
        <Timeline label={t('timeline')} events={session.timeline} />
      </Section>
      <Section title={t('about')}>
        <FactList facts={useRequest(session)} />
      </Section>
      <Section title={t('shown')}>
        <Shown session={session} />
      </Section>
      <Section title={t('answer')}>
        {answer.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('noAnswer')}
          </Text>
        ) : (
          <FactList facts={answer} />
        )}
      </Section>
      <Section title={t('times')}>
        <FactList facts={useTimes(session)} />
      </Section>
    </Stack>
  );
}

/** Explanation of a session that ended without a confirmation. */
function Why({ session }: { readonly session: Session }) {
  const { explanation, endResult, interactions } = session;
  const t = useTexts(texts);
  const language = useLanguage();
  if (explanation === null || endResult === 'OK') return null;
  // Texts of the documentation mark settings and fields as code.
  const plain = (text: string) => text.replaceAll('`', '');
  const isUnopened = session.flow === 'DEVICE_LINK' && session.documentNumber === null;
  const saw = isUnopened ? t('unopened') : (interactions[0]?.text ?? t('nothingShown'));
  return (
    <Section title={t('why')}>
      <Stack gap="sm">
        <Text>{plain(explanation.means[language])}</Text>
        <FactList
          facts={[
            { label: t('saw'), value: saw },
            { label: t('show'), value: plain(explanation.show[language]) },
            { label: t('todo'), value: plain(explanation.todo[language]) },
          ]}
        />
      </Stack>
    </Section>
  );
}
