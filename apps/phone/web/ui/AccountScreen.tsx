import { common } from '../../../../api/pages/commonWords.ts';
import { useEffect, useState } from 'react';
import type { PinName } from '../../session.ts';
import type { PhoneModel, PhoneView } from '../core/model.ts';
import type { DeviceStatus, OwnPhone, Phone, PhoneIdentity } from '../../phone.ts';
import { LockedPins } from './LockedPins.tsx';
import { Heading, messageOf, nameOfPlatform, Problem } from './parts.tsx';
import { PinChange } from './PinChange.tsx';
import { themes, useDates, usePreferences, useTexts } from './preferences.tsx';
import { Removal } from './Removal.tsx';
import { isTextKey, languages } from './texts.ts';

/** Device number and certificates, settings, and deactivation. */
export function AccountScreen({
  model,
  phone,
  identity,
  locks,
}: {
  readonly model: PhoneModel;
  readonly phone: Phone;
  readonly identity: PhoneIdentity;
  readonly locks: Pick<PhoneView, 'lockedPins' | 'restingPins'>;
}) {
  const say = useTexts();
  const { lockedPins, restingPins } = locks;
  const locked = [...lockedPins, ...restingPins.map(({ pin }) => pin)];
  const [changing, setChanging] = useState<PinName | null>(null);
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
      <LockedPins model={model} identity={identity} locks={locks} />
      <Phones phone={phone} />
      <a className="button second wide" href="/me" target="_blank" rel="noreferrer">
        {say('myPage')}
      </a>
      <Certificates phone={phone} lockedPins={locked} />
      <section aria-labelledby="pins">
        <h2 id="pins">{say('pins')}</h2>
        {(['PIN1', 'PIN2'] as const).map((pin) => (
          <button
            key={pin}
            type="button"
            className="second wide"
            data-change={pin}
            disabled={locked.includes(pin)}
            onClick={() => setChanging(pin)}
          >
            {say('changePin', { pin: say(pin) })}
          </button>
        ))}
      </section>
      {changing !== null && (
        <PinChange model={model} name={changing} onClose={() => setChanging(null)} />
      )}
      <Settings />
      <button type="button" className="danger wide" onClick={() => setRemoving(true)}>
        {say('remove')}
      </button>
      {removing && <Removal model={model} identity={identity} onClose={() => setRemoving(false)} />}
    </main>
  );
}

/** Phones of the owner, this one among them. */
function Phones({ phone }: { readonly phone: Phone }) {
  const say = useTexts();
  const { minute } = useDates();
  const [phones, setPhones] = useState<readonly OwnPhone[]>([]);
  useEffect(() => {
    // Without an answer the list is left out; the page of the citizen has it, too.
    phone.phones().then(setPhones, () => undefined);
  }, [phone]);
  if (phones.length === 0) return null;
  return (
    <section aria-labelledby="phones">
      <h2 id="phones">{say('phones')}</h2>
      {phones.map(({ documentNumber, platform, enrolledAt, isThis }) => (
        <dl className="rows" key={documentNumber} data-own-phone={documentNumber}>
          <div className="first">
            <dt>{nameOfPlatform(platform, say)}</dt>
            <dd>{say(isThis ? 'thisPhone' : 'otherPhone')}</dd>
          </div>
          {enrolledAt !== null && (
            <div>
              <dt>{say('setUpOn')}</dt>
              <dd>{minute(enrolledAt)}</dd>
            </div>
          )}
        </dl>
      ))}
    </section>
  );
}

const pinOf: Readonly<Record<string, PinName>> = { AUTH: 'PIN1', SIGN: 'PIN2' };

function Certificates({
  phone,
  lockedPins,
}: {
  readonly phone: Phone;
  readonly lockedPins: readonly PinName[];
}) {
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
            <dd className={one.status === 'VALID' && !isLocked(one.type) ? 'good' : 'bad'}>
              {isLocked(one.type) ? say('locked') : textOr(`status_${one.status}`, one.status)}
            </dd>
          </div>
          <div>
            <dt>{say('level')}</dt>
            <dd>{textOr(`level_${one.certificateLevel}`, one.certificateLevel)}</dd>
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

  function isLocked(type: string): boolean {
    const pin = pinOf[type];
    return pin !== undefined && lockedPins.includes(pin);
  }

  function textOr(key: string, otherwise: string): string {
    return isTextKey(key) ? say(key) : otherwise;
  }
}

const languageNames = { mn: common.mn.languageName, en: common.en.languageName };

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
