import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Name } from '../../shared/names.tsx';
import { auditWords } from '../../shared/records/auditWords.ts';
import { useWords } from '../../shared/records/words.ts';
import { useTexts } from '../../shared/texts.ts';
import { DataTable } from '../../shared/ui/DataTable.tsx';
import { Can, Section, Timestamp } from '../../shared/ui/parts.tsx';
import { whole } from '../../shared/whole.ts';
import type { Citizen } from './types.ts';
import { texts } from './texts.ts';

/** Number of sessions shown; the others are linked. */
const SHOWN = 5;

/** Sessions in a citizen's audit, the latest first, with the last event of each. */
export function RecentSessions({ etsi, audit }: Pick<Citizen, 'etsi' | 'audit'>) {
  const t = useTexts(texts);
  const word = useWords(auditWords);
  const ofSessions = audit.filter(({ type }) => type.startsWith('SESSION_'));
  const latest = new Map(ofSessions.toReversed().map((entry) => [entry.subject, entry]));
  const sessions = [...latest.values()]
    .sort((one, other) => other.at.localeCompare(one.at))
    .slice(0, SHOWN);
  return (
    <Can capability="session:read">
      <Section
        title={t('sessions')}
        actions={
          <Anchor component={Link} to="/sessions" search={{ subject: etsi } as never} size="sm">
            {t('allSessions')}
          </Anchor>
        }
      >
        {sessions.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t('noSessions')}
          </Text>
        ) : (
          <DataTable
            label={t('sessions')}
            source={whole(sessions)}
            isWhole
            rowKey={({ subject }) => subject}
            rowLink={({ subject }) => `/sessions/${subject}`}
            columns={[
              {
                key: 'session',
                header: t('session'),
                cell: ({ subject }) => <Name id={subject} />,
              },
              { key: 'last', header: t('lastEvent'), cell: ({ type }) => word(type) },
              { key: 'at', header: t('at'), cell: ({ at }) => <Timestamp value={at} /> },
            ]}
          />
        )}
      </Section>
    </Can>
  );
}
