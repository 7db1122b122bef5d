import { useEffect, useState, useSyncExternalStore } from 'react';
import type { PhoneModel, PhoneView } from '../core/model.ts';
import type { Phone } from '../../phone.ts';
import { AccountScreen } from './AccountScreen.tsx';
import { EndScreen } from './EndScreen.tsx';
import { EnrolScreen } from './EnrolScreen.tsx';
import { HistoryScreen } from './HistoryScreen.tsx';
import { HomeScreen } from './HomeScreen.tsx';
import { Icon } from './icons.tsx';
import { messageOf, Problem } from './parts.tsx';
import { useTexts } from './preferences.tsx';
import { RequestScreen } from './RequestScreen.tsx';
import { ScanScreen } from './ScanScreen.tsx';
import { barTabs, type Tab } from './tabs.ts';

/** The whole phone; a request takes precedence over all else. */
export function App({ model, phone }: { readonly model: PhoneModel; readonly phone: Phone }) {
  const say = useTexts();
  const view = useSyncExternalStore(model.subscribe, model.view);
  const [tab, setTab] = useState<Tab>('home');
  const [problem, setProblem] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    let isCurrent = true;
    model.start().catch((error: unknown) => {
      if (isCurrent) setProblem(error);
    });
    return () => {
      isCurrent = false;
    };
  }, [model, attempt]);
  useLinkOfAddress(model, view.phase === 'ready', setProblem);

  const [first, ...others] = view.waiting;
  if (view.ended !== null) {
    return (
      <EndScreen key={view.ended.request.sessionId} model={model} others={view.waiting.length} />
    );
  }
  if (first !== undefined) {
    const { sessionId } = first.request;
    return <RequestScreen key={sessionId} model={model} waiting={first} others={others.length} />;
  }
  if (view.phase === 'loading') {
    const retry = () => {
      setProblem(null);
      setAttempt(attempt + 1);
    };
    return <Starting problem={problem} onRetry={retry} />;
  }
  if (view.phase === 'unset' || view.identity === null) return <EnrolScreen model={model} />;
  return (
    <>
      {problem !== null && <Notice problem={problem} onClose={() => setProblem(null)} />}
      <TabScreen tab={tab} model={model} phone={phone} view={view} onTab={setTab} />
      <nav className="tabs">
        {barTabs.map((each) => (
          <button
            key={each}
            type="button"
            aria-current={each === (tab === 'link' ? 'scan' : tab) ? 'page' : undefined}
            onClick={() => setTab(each)}
          >
            <Icon name={each} />
            {say(each)}
          </button>
        ))}
      </nav>
    </>
  );
}

/** Shown until the owner is loaded. */
function Starting({
  problem,
  onRetry,
}: {
  readonly problem: unknown;
  readonly onRetry: () => void;
}) {
  const say = useTexts();
  return problem === null ? (
    <main className="end" aria-busy="true">
      <p>{say('loading')}</p>
    </main>
  ) : (
    <main className="end">
      <Problem>{messageOf(problem, say)}</Problem>
      <button type="button" className="first" onClick={onRetry}>
        {say('tryAgain')}
      </button>
    </main>
  );
}

function Notice({ problem, onClose }: { readonly problem: unknown; readonly onClose: () => void }) {
  const say = useTexts();
  return (
    <div className="notice">
      <Problem>{messageOf(problem, say)}</Problem>
      <button type="button" className="plain" aria-label={say('close')} onClick={onClose}>
        <Icon name="close" size={20} />
      </button>
    </div>
  );
}

function TabScreen({
  tab,
  model,
  phone,
  view,
  onTab,
}: {
  readonly tab: Tab;
  readonly model: PhoneModel;
  readonly phone: Phone;
  readonly view: PhoneView;
  readonly onTab: (tab: Tab) => void;
}) {
  switch (tab) {
    case 'home':
      return <HomeScreen model={model} view={view} onTab={onTab} />;
    case 'scan':
    case 'link':
      return (
        <ScanScreen
          key={tab}
          model={model}
          focusLink={tab === 'link'}
          onOpened={() => onTab('home')}
        />
      );
    case 'history':
      return <HistoryScreen model={model} entries={view.history} />;
    case 'account':
      return view.identity === null ? null : (
        <AccountScreen model={model} phone={phone} identity={view.identity} locks={view} />
      );
  }
}

/**
 * Opens `?link=` of the address once the phone is ready, and removes it from the address at once.
 */
function useLinkOfAddress(
  model: PhoneModel,
  isReady: boolean,
  onProblem: (problem: unknown) => void,
): void {
  useEffect(() => {
    if (!isReady) return;
    const link = new URLSearchParams(location.search).get('link');
    if (link === null) return;
    history.replaceState(null, '', location.pathname);
    model.open(link).catch(onProblem);
  }, [model, isReady, onProblem]);
}
