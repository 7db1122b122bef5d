import { useState } from 'react';
import type { PinName } from '../../session.ts';
import type { PhoneModel } from '../core/model.ts';
import type { PhoneIdentity } from '../../phone.ts';
import { useTexts } from './preferences.tsx';
import { Removal } from './Removal.tsx';

/** PINs that are locked for good, and the way out: setting the phone up anew. */
export function LockedPins({
  model,
  identity,
  pins,
}: {
  readonly model: PhoneModel;
  readonly identity: PhoneIdentity;
  readonly pins: readonly PinName[];
}) {
  const say = useTexts();
  const [removing, setRemoving] = useState(false);
  return (
    <section className="standing notActive" role="status" data-locked={pins.join(' ')}>
      <i aria-hidden="true" />
      <div>
        {pins.map((pin) => (
          <p key={pin}>{say('pinLocked', { pin })}</p>
        ))}
        <button type="button" className="first" onClick={() => setRemoving(true)}>
          {say('setUpAgain')}
        </button>
      </div>
      {removing && <Removal model={model} identity={identity} onClose={() => setRemoving(false)} />}
    </section>
  );
}
