import { type SubmitEvent, useEffect, useState } from 'react';
import type { PinName } from '../../session.ts';
import type { PhoneModel } from '../core/model.ts';
import type { CitizenCard } from '../../identityVerification.ts';
import { pinLength, weaknessOf } from '../core/pinRules.ts';
import { Icon, Mark } from './icons.tsx';
import { fieldOf, Heading, messageOf, Problem } from './parts.tsx';
import { PinPad } from './PinPad.tsx';
import { useTexts } from './preferences.tsx';

interface OfferedCitizen extends CitizenCard {
  readonly name: string;
}

/** Step of the enrolment, with the choices so far. */
type Step =
  | { readonly type: 'card' }
  | { readonly type: 'PIN1'; readonly card: CitizenCard }
  | { readonly type: 'PIN2'; readonly card: CitizenCard; readonly pin1: string }
  | { readonly type: 'enrolling'; readonly card: CitizenCard }
  | { readonly type: 'done' };

/** Enrolment: identity card, two PINs, ready. */
export function EnrolScreen({ model }: { readonly model: PhoneModel }) {
  const say = useTexts();
  const [step, setStep] = useState<Step>({ type: 'card' });
  const [problem, setProblem] = useState<string | null>(null);

  async function enrol(card: CitizenCard, pin1: string, pin2: string): Promise<void> {
    setStep({ type: 'enrolling', card });
    try {
      await model.enrol({ card, pin1, pin2 });
      setStep({ type: 'done' });
    } catch (error) {
      setProblem(messageOf(error, say));
      setStep({ type: 'card' });
    }
  }

  switch (step.type) {
    case 'card':
      return (
        <CardStep
          problem={problem}
          onCard={(card) => {
            setProblem(null);
            setStep({ type: 'PIN1', card });
          }}
        />
      );
    case 'PIN1':
      return (
        <PinStep
          key="PIN1"
          name="PIN1"
          birthDate={step.card.birthDate}
          onBack={() => setStep({ type: 'card' })}
          onPin={(pin1) => setStep({ type: 'PIN2', card: step.card, pin1 })}
        />
      );
    case 'PIN2':
      return (
        <PinStep
          key="PIN2"
          name="PIN2"
          birthDate={step.card.birthDate}
          other={step.pin1}
          onBack={() => setStep({ type: 'PIN1', card: step.card })}
          onPin={(pin2) => void enrol(step.card, step.pin1, pin2)}
        />
      );
    case 'enrolling':
      return (
        <main className="end" aria-busy="true">
          <div className="badge turning">
            <Icon name="shield" size={48} />
          </div>
          <Heading>{say('enrolling')}</Heading>
        </main>
      );
    case 'done':
      return (
        <main className="end good">
          <div className="badge">
            <Icon name="check" size={48} />
          </div>
          <Heading>{say('enrolled')}</Heading>
          <p>{model.view().identity?.name}</p>
          <div className="actions">
            <button type="button" className="first" onClick={() => model.ready()}>
              {say('next')}
            </button>
          </div>
        </main>
      );
  }
}

function CardStep({
  problem,
  onCard,
}: {
  readonly problem: string | null;
  readonly onCard: (card: CitizenCard) => void;
}) {
  const say = useTexts();
  const [offered, setOffered] = useState<readonly OfferedCitizen[] | null>(null);
  const [isForm, setIsForm] = useState(false);
  useEffect(() => {
    // Without a response the form remains.
    offeredCitizens().then(setOffered, () => setOffered([]));
  }, []);
  if (offered === null) return <main className="enrol" aria-busy="true" />;
  const list = offered.length > 0 && !isForm;
  return (
    <main className="enrol">
      <div className="welcome">
        <Mark size={56} />
        <Heading>{say('welcomeTitle')}</Heading>
        <p>{say('welcomeText')}</p>
      </div>
      {problem !== null && <Problem>{problem}</Problem>}
      {list ? (
        <section aria-labelledby="who">
          <h2 id="who">{say('demoCitizens')}</h2>
          <ul className="choices">
            {offered.map(({ name, ...card }) => (
              <li key={card.identifier}>
                <button type="button" onClick={() => onCard(card)} data-citizen={card.identifier}>
                  <span className="initial" aria-hidden="true">
                    {name.slice(0, 1)}
                  </span>
                  <span>
                    <b>{name}</b>
                    <small>{card.identifier}</small>
                  </span>
                </button>
              </li>
            ))}
          </ul>
          <button type="button" className="quiet wide" onClick={() => setIsForm(true)}>
            {say('otherCitizen')}
          </button>
        </section>
      ) : (
        <>
          <CardForm onCard={onCard} />
          {offered.length > 0 && (
            <button type="button" className="quiet wide" onClick={() => setIsForm(false)}>
              {say('chooseFromList')}
            </button>
          )}
        </>
      )}
    </main>
  );
}

/** Citizens offered by the demo; elsewhere none. */
async function offeredCitizens(): Promise<readonly OfferedCitizen[]> {
  const answer = await fetch('/phone/citizens.json');
  if (!answer.ok) return [];
  const { citizens } = (await answer.json()) as { readonly citizens: readonly OfferedCitizen[] };
  return citizens;
}

const fields = ['identifier', 'cardNumber', 'birthDate'] as const;

function CardForm({ onCard }: { readonly onCard: (card: CitizenCard) => void }) {
  const say = useTexts();
  const [missing, setMissing] = useState<readonly string[]>([]);

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = event.currentTarget;
    const valueOf = (name: string) => fieldOf(form, name);
    const empty = fields.filter((name) => valueOf(name) === '');
    setMissing(empty);
    if (empty.length > 0) return;
    onCard({
      identifier: valueOf('identifier'),
      cardNumber: valueOf('cardNumber').toUpperCase(),
      birthDate: valueOf('birthDate'),
    });
  }

  return (
    <form className="card" noValidate onSubmit={submit}>
      <h2>{say('cardTitle')}</h2>
      {fields.map((name) => (
        <label key={name}>
          <span>{say(name)}</span>
          <input
            name={name}
            type={name === 'birthDate' ? 'date' : 'text'}
            autoComplete="off"
            aria-invalid={missing.includes(name)}
            aria-describedby={missing.includes(name) ? `${name}-missing` : undefined}
          />
          {missing.includes(name) && (
            <em id={`${name}-missing`} role="alert">
              {say('required')}
            </em>
          )}
        </label>
      ))}
      <button type="submit" className="first wide">
        {say('next')}
      </button>
    </form>
  );
}

/** Entry of a PIN and its repetition. */
function PinStep({
  name,
  birthDate,
  other,
  onBack,
  onPin,
}: {
  readonly name: PinName;
  readonly birthDate: string;
  /** PIN chosen before. */
  readonly other?: string;
  readonly onBack: () => void;
  readonly onPin: (pin: string) => void;
}) {
  const say = useTexts();
  const [chosen, setChosen] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  function take(pin: string): void {
    if (chosen === null) {
      const weakness = weaknessOf(pin, { birthDate, ...(other === undefined ? {} : { other }) });
      setProblem(weakness === null ? null : say(`weak_${weakness}`));
      if (weakness === null) setChosen(pin);
    } else if (chosen === pin) {
      onPin(pin);
    } else {
      setProblem(say('pinsDiffer'));
      setChosen(null);
    }
  }

  return (
    <main className="enrol pinstep" data-step={`${chosen === null ? 'choose' : 'repeat'}-${name}`}>
      <header className="bar">
        <button type="button" className="plain" onClick={onBack} aria-label={say('back')}>
          <Icon name="back" />
        </button>
        <p>{say('stepOf', { step: name === 'PIN1' ? 2 : 3, total: 3 })}</p>
      </header>
      <div className="welcome">
        <Heading key={chosen}>{say(chosen === null ? `choose${name}` : `repeat${name}`)}</Heading>
        <p>{say(chosen === null ? `about${name}` : 'aboutRepeat')}</p>
      </div>
      {problem !== null && <Problem>{problem}</Problem>}
      <PinPad key={chosen} length={pinLength[name]} onPin={take} />
    </main>
  );
}
