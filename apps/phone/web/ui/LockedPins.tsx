import { useState } from 'react';
import type { PhoneModel, PhoneView } from '../core/model.ts';
import type { PhoneIdentity } from '../../phone.ts';
import { askedBy, type PhoneRequest } from '../../session.ts';
import { useDates, useTexts } from './preferences.tsx';
import { Removal } from './Removal.tsx';

/** PINs that are locked, until when, and the ways out: waiting, or setting the phone up anew. */
export function LockedPins({
  model,
  identity,
  locks: { lockedPins, restingPins },
  leftOut = [],
}: {
  readonly model: PhoneModel;
  readonly identity: PhoneIdentity;
  readonly locks: Pick<PhoneView, 'lockedPins' | 'restingPins'>;
  /** Requests that wait for an answer on another phone. */
  readonly leftOut?: readonly PhoneRequest[];
}) {
  const say = useTexts();
  const { minute } = useDates();
  const [removing, setRemoving] = useState(false);
  const pins = [...lockedPins, ...restingPins.map(({ pin }) => pin)];
  if (pins.length === 0) return null;
  return (
    <section className="standing notActive" role="status" data-locked={pins.join(' ')}>
      <i aria-hidden="true" />
      <div>
        {lockedPins.map((pin) => (
          <p key={pin}>{say('pinLocked', { pin: say(pin) })}</p>
        ))}
        {restingPins.map(({ pin, until }) => (
          <p key={pin} data-until={until}>
            {say('pinRests', { pin: say(pin), until: minute(until) })}
          </p>
        ))}
        {leftOut.map((request) => (
          <p key={request.sessionId} data-left-out={request.sessionId}>
            <b>{say('leftOut', { who: askedBy(request) })}</b>
          </p>
        ))}
        <p>{say('pinForgotten')}</p>
        <button type="button" className="first" onClick={() => setRemoving(true)}>
          {say('setUpAgain')}
        </button>
      </div>
      {removing && <Removal model={model} identity={identity} onClose={() => setRemoving(false)} />}
    </section>
  );
}
