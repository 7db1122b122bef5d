import { useEffect } from 'react';
import type { PhoneModel } from '../core/model.ts';
import type { HistoryEntry } from '../core/store.ts';
import { endingOf } from './EndScreen.tsx';
import { Icon, type IconName } from './icons.tsx';
import { Heading } from './parts.tsx';
import { useDates, useTexts } from './preferences.tsx';
import type { TextKey } from './texts.ts';

/** Confirmed, refused and expired requests, on all phones of the citizen. */
export function HistoryScreen({
  model,
  entries,
}: {
  readonly model: PhoneModel;
  readonly entries: readonly HistoryEntry[];
}) {
  const say = useTexts();
  useEffect(() => void model.readHistory(), [model]);
  return (
    <main className="history">
      <Heading>{say('history')}</Heading>
      {entries.length === 0 ? (
        <div className="empty">
          <Icon name="history" size={40} />
          <p>
            <b>{say('historyEmpty')}</b>
          </p>
          <p>{say('historyEmptyText')}</p>
        </div>
      ) : (
        <HistoryList entries={entries} />
      )}
    </main>
  );
}

const kinds: Readonly<
  Record<HistoryEntry['kind'], { readonly icon: IconName; readonly name: TextKey }>
> = {
  AUTHENTICATION: { icon: 'login', name: 'login' },
  SIGNATURE: { icon: 'pen', name: 'signature' },
  CERTIFICATE_CHOICE: { icon: 'certificate', name: 'certificateChoice' },
};

export function HistoryList({ entries }: { readonly entries: readonly HistoryEntry[] }) {
  const say = useTexts();
  const { minute } = useDates();
  return (
    <ul className="entries">
      {entries.map((entry) => {
        const { icon, name } = kinds[entry.kind];
        const ending = endingOf(entry.endResult, entry.kind);
        return (
          <li key={entry.sessionId} data-result={entry.endResult}>
            <Icon name={icon} />
            <details>
              <summary>
                <span>
                  <bdi>{entry.relyingPartyName}</bdi> <small>{say(name)}</small>
                </span>
                <span className="when">
                  <span className={entry.endResult === 'OK' ? 'good' : 'bad'}>
                    <Icon name={ending.icon} size={16} /> {say(ending.title)}
                  </span>
                  <time dateTime={entry.at}>{minute(entry.at)}</time>
                </span>
              </summary>
              {ending.text !== null && <p className="about">{say(ending.text)}</p>}
              {(entry.fileName ?? entry.text) !== '' && (
                <p className="about">
                  <bdi>{entry.fileName ?? entry.text}</bdi>
                </p>
              )}
              {entry.onBehalfOf !== null && (
                <p className="about">
                  {say('onBehalfOf')} <bdi>{entry.onBehalfOf}</bdi>
                </p>
              )}
              {entry.verificationCode && (
                <p className="about">
                  {say('code')}: <bdi>{entry.verificationCode}</bdi>
                </p>
              )}
              <p className="about">
                <a href={`/me/history/${entry.sessionId}`} target="_blank" rel="noreferrer">
                  {say('onMyPage')}
                </a>
              </p>
            </details>
          </li>
        );
      })}
    </ul>
  );
}
