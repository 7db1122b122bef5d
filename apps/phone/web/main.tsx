import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createPhone } from '../phone.ts';
import { askedBy, type PhoneRequest } from '../session.ts';
import { createPhoneModel } from './core/model.ts';
import { openStore } from './core/store.ts';
import { App } from './ui/App.tsx';
import { Problem } from './ui/parts.tsx';
import { PreferencesProvider, useTexts } from './ui/preferences.tsx';
import './ui/style.css';
import { languages, textsOf, wants } from './ui/texts.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no root element.');
createRoot(root).render(
  <StrictMode>
    <PreferencesProvider>{await content()}</PreferencesProvider>
  </StrictMode>,
);
if ('serviceWorker' in navigator) {
  void navigator.serviceWorker.register(trustedScript('/phone/sw.js'), { scope: '/phone' });
}

/** Address under the page's only Trusted Types policy; unchanged where the browser knows none. */
function trustedScript(address: '/phone/sw.js'): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: PolicyFactory };
  const policy = trustedTypes?.createPolicy('phone', { createScriptURL: () => address });
  // The types of the DOM know no TrustedScriptURL.
  return (policy?.createScriptURL('') ?? address) as string;
}

interface PolicyFactory {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: () => string },
  ): { createScriptURL(address: string): unknown };
}

/** The phone, or the reason this browser cannot run one. */
async function content() {
  if (!isSecureContext) return <Impossible reason="insecure" />;
  try {
    const store = await openStore();
    const phone = createPhone({ store, baseUrl: location.origin });
    const model = createPhoneModel(store, phone, (request) => void notify(request));
    return <App model={model} phone={phone} />;
  } catch {
    return <Impossible reason="noStorage" />;
  }
}

function Impossible({ reason }: { readonly reason: 'insecure' | 'noStorage' }) {
  const say = useTexts();
  return (
    <main className="end">
      <Problem>{say(reason)}</Problem>
    </main>
  );
}

/** Notifies a citizen who is not looking at the page of a request. */
async function notify(request: PhoneRequest): Promise<void> {
  const { kind, sessionId } = request;
  // Browsers warn about vibration before the first interaction.
  if ('vibrate' in navigator && navigator.userActivation.hasBeenActive) navigator.vibrate(80);
  if (!document.hidden || !('Notification' in window)) return;
  if (Notification.permission !== 'granted') return;
  const { lang } = document.documentElement;
  const say = textsOf(languages.find((known) => known === lang) ?? 'mn');
  const registration = await navigator.serviceWorker.ready;
  await registration.showNotification(say('title'), {
    body: say('notify', { name: askedBy(request), what: say(wants[kind]) }),
    icon: '/phone/icon-192.png',
    tag: sessionId,
  });
}
