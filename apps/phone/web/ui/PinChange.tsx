import { useEffect, useRef, useState } from 'react';
import { PinError } from '../../pinKeys.ts';
import type { PinName } from '../../session.ts';
import type { PhoneModel } from '../core/model.ts';
import { pinLength, weaknessOf } from '../core/pinRules.ts';
import { pinMessageOf, Problem } from './parts.tsx';
import { PinPad } from './PinPad.tsx';
import { useTexts } from './preferences.tsx';

/** Steps of a change, in order. */
type Step = 'former' | 'choose' | 'repeat' | 'working' | 'done';

/** Dialog that replaces a PIN: the former one, the new one, and that once more. */
export function PinChange({
  model,
  name,
  onClose,
}: {
  readonly model: PhoneModel;
  readonly name: PinName;
  readonly onClose: () => void;
}) {
  const say = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  const [step, setStep] = useState<Step>('former');
  const [former, setFormer] = useState('');
  const [chosen, setChosen] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => dialog.current?.showModal(), []);

  function go(next: Step, why: string | null = null): void {
    setProblem(why);
    setStep(next);
  }

  function refuse(error: unknown): void {
    const isOver = error instanceof PinError && error.attemptsLeft === 0;
    go(isOver ? 'done' : 'former', pinMessageOf(error, name, say));
  }

  function take(pin: string): void {
    if (step === 'former') {
      setFormer(pin);
      go('working');
      model.checkPin({ name, pin }).then(() => go('choose'), refuse);
    } else if (step === 'choose') {
      const { birthDate = '' } = model.view().identity ?? {};
      const weakness = weaknessOf(pin, { birthDate });
      const fault = pin === former ? say('samePin') : weakness && say(`weak_${weakness}`);
      setChosen(pin);
      go(fault === null ? 'repeat' : 'choose', fault);
    } else if (pin !== chosen) {
      go('choose', say('pinsDiffer'));
    } else {
      go('working');
      model.changePin({ name, pin: former }, pin).then(() => go('done'), refuse);
    }
  }

  const titles = {
    former: say(`enter${name}`),
    choose: say(`choose${name}`),
    repeat: say(`repeat${name}`),
    working: say('working'),
    done: say(problem === null ? 'pinChanged' : 'locked', { pin: say(name) }),
  };
  return (
    <dialog ref={dialog} className="sheet" aria-labelledby="pin-change" onClose={onClose}>
      <h2 id="pin-change" data-change-step={step} role="status">
        {titles[step]}
      </h2>
      {problem !== null && <Problem>{problem}</Problem>}
      {step !== 'done' && (
        <PinPad key={step} length={pinLength[name]} disabled={step === 'working'} onPin={take} />
      )}
      <button type="button" className="quiet wide" onClick={() => dialog.current?.close()}>
        {say(step === 'done' ? 'close' : 'cancel')}
      </button>
    </dialog>
  );
}
