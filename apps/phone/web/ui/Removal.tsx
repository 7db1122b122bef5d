import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { ServiceError } from '../../service.ts';
import type { PhoneModel } from '../core/model.ts';
import type { PhoneIdentity } from '../../phone.ts';
import { Icon } from './icons.tsx';
import { messageOf, Problem } from './parts.tsx';
import { useTexts } from './preferences.tsx';

/** Dialog that gives the phone up, once the citizen has typed the end of their civil id. */
export function Removal({
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
