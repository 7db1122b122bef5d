import { useState, useSyncExternalStore } from 'react';
import type { Connection } from '../core/inbox.ts';
import type { PhoneModel, PhoneView } from '../core/model.ts';
import { HistoryList } from './HistoryScreen.tsx';
import { Icon, Mark } from './icons.tsx';
import { LockedPins } from './LockedPins.tsx';
import { NoticeList as Notices } from './NoticeList.tsx';
import { Heading } from './parts.tsx';
import { useTexts } from './preferences.tsx';
import type { Tab } from './tabs.ts';
import type { TextKey } from './texts.ts';

/** Owner of the phone, and its state. */
export function HomeScreen({
  model,
  view,
  onTab,
}: {
  readonly model: PhoneModel;
  readonly view: PhoneView;
  readonly onTab: (tab: Tab) => void;
}) {
  const say = useTexts();
  const { identity, connection, history, lockedPins, restingPins } = view;
  return (
    <main className="home">
      <div className="idcard">
        <div className="idcard-top">
          <Mark size={30} />
          <span>{say('title')}</span>
        </div>
        <Heading>{identity?.name}</Heading>
        <p>
          <small>{say('personalId')}</small> {identity?.etsi.replace(/^PNOMN-/, '')}
        </p>
      </div>
      <Notices model={model} notices={view.notices} />
      {identity !== null && (
        <LockedPins model={model} identity={identity} locks={view} leftOut={view.leftOut} />
      )}
      <ConnectionState
        connection={connection}
        isUsable={lockedPins.length + restingPins.length === 0}
        onForget={() => model.forget()}
      />
      <div className="tiles">
        <button type="button" onClick={() => onTab('scan')}>
          <Icon name="scan" size={28} />
          {say('scanQr')}
        </button>
        <button type="button" onClick={() => onTab('link')}>
          <Icon name="link" size={28} />
          {say('openLink')}
        </button>
      </div>
      {history.length > 0 && (
        <section aria-labelledby="recent">
          <div className="headed">
            <h2 id="recent">{say('recent')}</h2>
            <button type="button" className="plain" onClick={() => onTab('history')}>
              {say('all')}
            </button>
          </div>
          <HistoryList entries={history.slice(0, 3)} />
        </section>
      )}
    </main>
  );
}

const standings: Readonly<Record<Connection, TextKey>> = {
  connected: 'ready',
  reconnecting: 'reconnecting',
  notActive: 'notActive',
  notKnown: 'notKnown',
};

/** Connection state. */
function ConnectionState({
  connection,
  isUsable,
  onForget,
}: {
  readonly connection: Connection;
  /** False while a PIN is locked, of which the phone speaks instead. */
  readonly isUsable: boolean;
  readonly onForget: () => Promise<void>;
}) {
  const say = useTexts();
  const isOnline = useSyncExternalStore(watchOnline, () => navigator.onLine);
  const [forgetting, setForgetting] = useState(false);
  const isOver = connection === 'notActive' || connection === 'notKnown';
  const state = isOnline || isOver ? connection : 'offline';
  if (state === 'connected' && !isUsable) return null;
  return (
    <div className={`standing ${state}`} role="status" data-connection={state}>
      <i aria-hidden="true" />
      <div>
        <p>
          <b>{say(state === 'offline' ? 'offline' : standings[state])}</b>
        </p>
        {state === 'connected' && <p>{say('readyText')}</p>}
        {isOver && (
          <button
            type="button"
            className="second"
            disabled={forgetting}
            onClick={() => {
              setForgetting(true);
              void onForget();
            }}
          >
            {say('forget')}
          </button>
        )}
      </div>
    </div>
  );
}

function watchOnline(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}
