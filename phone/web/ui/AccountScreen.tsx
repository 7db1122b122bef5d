import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { ServiceError } from '../../service.ts';
import type { PhoneModel } from '../core/model.ts';
import type { DeviceStatus, Phone, PhoneIdentity } from '../core/phone.ts';
import { Icon } from './icons.tsx';
import { Heading, messageOf, Problem } from './parts.tsx';
import { themes, useDates, usePreferences, useTexts } from './preferences.tsx';
import { isTextKey, languages } from './texts.ts';

/** Device number and certificates, settings, and deactivation. */
export function AccountScreen({
  model,
  phone,
  identity,
}: {
  readonly model: PhoneModel;
  readonly phone: Phone;
  readonly identity: PhoneIdentity;
}) {
  const say = useTexts();
  const [removing, setRemoving] = useState(false);
  return (
    <main className="account">
      <Heading>{say('account')}</Heading>
      <dl className="rows">
        <div>
          <dt>{say('personalId')}</dt>
          <dd>{identity.etsi}</dd>
        </div>
        <div>
          <dt>{say('documentNumber')}</dt>
          <dd className="mono">{identity.documentNumber}</dd>
        </div>
      </dl>
      <Certificates phone={phone} />
      <Settings />
      <button type="button" className="danger wide" onClick={() => setRemoving(true)}>
        {say('remove')}
      </button>
      {removing && <Removal model={model} identity={identity} onClose={() => setRemoving(false)} />}
    </main>
  );
}

function Certificates({ phone }: { readonly phone: Phone }) {
  const say = useTexts();
  const { day } = useDates();
  const [status, setStatus] = useState<DeviceStatus | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    phone.status().then(setStatus, setProblem);
  }, [phone]);
  return (
    <section aria-labelledby="certificates">
      <h2 id="certificates">{say('certificates')}</h2>
      {problem !== null && <Problem>{messageOf(problem, say)}</Problem>}
      {status?.certificates.map((one) => (
        <dl className="rows" key={one.serialNumber}>
          <div className="first">
            <dt>{textOr(`cert_${one.type}`, one.type)}</dt>
            <dd className={one.status === 'VALID' ? 'good' : 'bad'}>
              {textOr(`status_${one.status}`, one.status)}
            </dd>
          </div>
          <div>
            <dt>{say('level')}</dt>
            <dd>{one.certificateLevel}</dd>
          </div>
          <div>
            <dt>{say('validUntil')}</dt>
            <dd>{day(one.notAfter)}</dd>
          </div>
          <div>
            <dt>{say('serialNumber')}</dt>
            <dd className="mono">{one.serialNumber}</dd>
          </div>
        </dl>
      ))}
    </section>
  );

  function textOr(key: string, otherwise: string): string {
    return isTextKey(key) ? say(key) : otherwise;
  }
}

const languageNames = { mn: 'Монгол', en: 'English' } as const;

function Settings() {
  const { language, theme, setLanguage, setTheme, say } = usePreferences();
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">{say('settings')}</h2>
      <Choice
        label={say('language')}
        name="language"
        value={language}
        options={languages.map((value) => ({ value, text: languageNames[value], lang: value }))}
        onChoose={setLanguage}
      />
      <Choice
        label={say('theme')}
        name="theme"
        value={theme}
        options={themes.map((value) => ({ value, text: say(`theme_${value}`) }))}
        onChoose={setTheme}
      />
      <NotificationSetting />
    </section>
  );
}

function Choice<Value extends string>({
  label,
  name,
  value,
  options,
  onChoose,
}: {
  readonly label: string;
  readonly name: string;
  readonly value: Value;
  readonly options: readonly {
    readonly value: Value;
    readonly text: string;
    readonly lang?: string;
  }[];
  readonly onChoose: (value: Value) => void;
}) {
  return (
    <fieldset className="segments">
      <legend>{label}</legend>
      <div>
        {options.map((option) => (
          <label key={option.value} lang={option.lang}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChoose(option.value)}
            />
            <span>{option.text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Requests permission for notifications in the background. */
function NotificationSetting() {
  const say = useTexts();
  const isSupported = 'Notification' in window;
  const [permission, setPermission] = useState(() =>
    isSupported ? Notification.permission : 'denied',
  );
  if (!isSupported) return null;
  return (
    <div className="setting">
      <p>{say('notifications')}</p>
      {permission === 'default' ? (
        <button
          type="button"
          className="second"
          onClick={() => void Notification.requestPermission().then(setPermission)}
        >
          {say('notificationsOff')}
        </button>
      ) : (
        <p className="quiet-text">
          {say(permission === 'granted' ? 'notificationsOn' : 'notificationsDenied')}
        </p>
      )}
    </div>
  );
}

function Removal({
  model,
  identity,
  onClose,
}: {
  readonly model: PhoneModel;
  readonly identity: PhoneIdentity;
  readonly onClose: () => void;
}) {
  const say = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const digits = identity.etsi.slice(-4);

  async function remove(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (typed !== digits) return;
    setBusy(true);
    try {
      await model.remove();
    } catch (error) {
      // Removed already by an operator: delete the local data.
      if (error instanceof ServiceError && error.code === 'DEVICE_NOT_ACTIVE') {
        await model.forget();
        return;
      }
      setProblem(messageOf(error, say));
      setBusy(false);
    }
  }

  return (
    <dialog ref={dialog} className="sheet" aria-labelledby="removal" onClose={onClose}>
      <form onSubmit={(event) => void remove(event)}>
        <h2 id="removal">{say('removeTitle')}</h2>
        <p>{say('removeText', { digits })}</p>
        {problem !== null && <Problem>{problem}</Problem>}
        <label>
          <span>{say('removeLabel')}</span>
          <input
            name="digits"
            inputMode="numeric"
            autoComplete="off"
            maxLength={4}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
        <button type="submit" className="danger wide" disabled={busy || typed !== digits}>
          <Icon name="cross" size={20} />
          {say('remove')}
        </button>
        <button type="button" className="quiet wide" onClick={() => dialog.current?.close()}>
          {say('cancel')}
        </button>
      </form>
    </dialog>
  );
}
