import { useEffect } from 'react';
import { askedBy, type PhoneRequest, type PinName } from '../../session.ts';
import type { Ended, PhoneModel, PhoneView } from '../core/model.ts';
import { Icon } from './icons.tsx';
import { Heading } from './parts.tsx';
import { useDates, useTexts } from './preferences.tsx';
import type { TextKey } from './texts.ts';

/** Result of a request. */
export function EndScreen({
  model,
  others,
}: {
  readonly model: PhoneModel;
  readonly others: number;
}) {
  const say = useTexts();
  const { ended } = model.view();
  const isGood = ended?.endResult === 'OK';
  const isNotMe = ended?.endResult === 'USER_REFUSED_NOT_ME';
  const address = ended?.returnTo ?? null;
  useEffect(() => {
    if (address !== null) {
      const timer = setTimeout(() => location.assign(address), 1200);
      return () => clearTimeout(timer);
    }
    if (!isGood && (others === 0 || isNotMe)) return undefined;
    const timer = setTimeout(() => model.dismiss(), others > 0 ? 1800 : 4000);
    return () => clearTimeout(timer);
  }, [model, isGood, isNotMe, others, address]);
  if (ended === null) return null;
  const { icon } = endingOf(ended.endResult, ended.request.kind);
  return (
    <main className={`end ${isGood ? 'good' : 'bad'}`} data-result={ended.endResult}>
      <div className="badge">
        <Icon name={icon} size={48} />
      </div>
      <Outcome ended={ended} locks={model.view()} />
      {isNotMe && (
        <p>
          <a
            href={`/me/history/${ended.request.sessionId}`}
            target="_blank"
            rel="noreferrer"
            data-what-now
          >
            {say('whatNow')}
          </a>
        </p>
      )}
      <div className="actions">
        {address === null ? (
          <button type="button" className="first" onClick={() => model.dismiss()}>
            {say(others > 0 ? 'nextRequest' : 'done')}
          </button>
        ) : (
          <a className="button first" href={address}>
            {say('returnTo', { host: new URL(address).host })}
          </a>
        )}
      </div>
    </main>
  );
}

/** Outcome in words; of a request whose PIN is locked, until when. */
function Outcome({
  ended: { endResult, request },
  locks,
}: {
  readonly ended: Ended;
  readonly locks: Pick<PhoneView, 'lockedPins' | 'restingPins'>;
}) {
  const say = useTexts();
  const { minute } = useDates();
  const { title, text } = endingOf(endResult, request.kind);
  const lock = endResult === 'DOCUMENT_UNUSABLE' ? lockOf(request.pin, locks) : null;
  return (
    <>
      <Heading>{say(lock === null ? title : 'done_LOCKED')}</Heading>
      <p className="party">
        <bdi>{askedBy(request)}</bdi>
      </p>
      {lock?.until === null && <p>{say('pinLocked', { pin: say(lock.pin) })}</p>}
      {lock?.until && <p>{say('pinRests', { pin: say(lock.pin), until: minute(lock.until) })}</p>}
      {lock === null && text !== null && <p>{say(text)}</p>}
    </>
  );
}

/** Lock of this PIN; `until` null: for good. */
function lockOf(
  pin: PinName | null,
  { lockedPins, restingPins }: Pick<PhoneView, 'lockedPins' | 'restingPins'>,
): { readonly pin: PinName; readonly until: string | null } | null {
  if (pin === null) return null;
  if (lockedPins.includes(pin)) return { pin, until: null };
  return restingPins.find((each) => each.pin === pin) ?? null;
}

/** Text and tone of an end result. */
export function endingOf(
  endResult: string,
  kind: PhoneRequest['kind'],
): {
  readonly title: TextKey;
  readonly text: TextKey | null;
  readonly icon: 'check' | 'cross' | 'clock' | 'warning';
} {
  if (endResult.startsWith('USER_REFUSED')) {
    const text = endResult === 'USER_REFUSED_NOT_ME' ? 'done_NOT_ME_text' : null;
    return { title: 'done_refused', text, icon: 'cross' };
  }
  switch (endResult) {
    case 'OK':
      return { title: `done_OK_${kind}`, text: null, icon: 'check' };
    case 'TIMEOUT':
      return { title: 'done_TIMEOUT', text: 'done_TIMEOUT_text', icon: 'clock' };
    case 'WRONG_VC':
      return { title: 'done_WRONG_VC', text: 'done_WRONG_VC_text', icon: 'warning' };
    case 'DOCUMENT_UNUSABLE':
      return {
        title: 'done_DOCUMENT_UNUSABLE',
        text: 'done_DOCUMENT_UNUSABLE_text',
        icon: 'cross',
      };
    case 'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP':
      return { title: 'done_UNSUPPORTED', text: null, icon: 'warning' };
    default:
      return { title: 'done_other', text: 'done_other_text', icon: 'cross' };
  }
}
