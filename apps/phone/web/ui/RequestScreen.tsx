import { useEffect, useRef, useState } from 'react';
import { asksForCodeChoice, codeChoice, printable } from '../../interactions.ts';
import type { PhoneReason, PhoneRequest } from '../../session.ts';
import type { PhoneModel, Waiting } from '../core/model.ts';
import { pinLength } from '../core/pinRules.ts';
import { Documents } from './Documents.tsx';
import { Fact, Heading, pinMessageOf, Problem } from './parts.tsx';
import { PinPad } from './PinPad.tsx';
import { useTexts } from './preferences.tsx';
import { Signals } from './Signals.tsx';
import { isTextKey, type Say, wants } from './texts.ts';

/** Steps of a request, in order. */
type Step = 'certificate' | 'message' | 'code' | 'pin';

/** A request, from its text to the PIN. */
export function RequestScreen({
  model,
  waiting: { request, endsAt, openedAt },
  others,
}: {
  readonly model: PhoneModel;
  readonly waiting: Waiting;
  /** Number of other waiting requests. */
  readonly others: number;
}) {
  const say = useTexts();
  const [step, setStep] = useState<Step>(() => firstStepOf(request));
  const [refusing, setRefusing] = useState(false);
  const [tells, setTells] = useState(false);
  const answering = useAnswering(model, request, tells);
  const { busy, problem } = answering;
  const takesPin = step === 'pin';
  useEffect(() => {
    if (takesPin) model.showsPin(request);
  }, [model, request, takesPin]);

  const refuse = (reason: PhoneReason) => {
    setRefusing(false);
    answering.refuse(reason);
  };
  const accept = () => {
    if (step === 'certificate') answering.giveCertificate();
    else setStep(asksForCodeChoice(request.interaction) ? 'code' : 'pin');
  };
  const chooseCode = (code: string) => {
    if (code === request.verificationCode) setStep('pin');
    else refuse('WRONG_VC');
  };

  return (
    <main className={`request at-${step}`} aria-busy={busy}>
      <header className="bar">
        <TimeLeft endsAt={endsAt} openedAt={openedAt} />
        {others > 0 && (
          <button type="button" className="plain" onClick={() => model.postpone()}>
            {say('later')}
            <span className="count">
              {others}
              <span className="unseen">{say('moreWaiting', { count: others })}</span>
            </span>
          </button>
        )}
      </header>
      <Asking request={request} />
      <Facts request={request} />
      <Signals request={request} tells={tells} onTells={setTells} />
      {step !== 'code' && <Text request={request} step={step} />}
      {(step === 'message' || step === 'pin') && <Code request={request} />}
      {problem !== null && !takesPin && <Problem>{problem}</Problem>}
      {step === 'code' && (
        <CodeChoice code={request.verificationCode} disabled={busy} onChoose={chooseCode} />
      )}
      {takesPin ? (
        <Pin request={request} answering={answering} onRefuse={() => setRefusing(true)} />
      ) : (
        <Actions step={step} busy={busy} onAccept={accept} onRefuse={() => setRefusing(true)} />
      )}
      {refusing && (
        <Refusal
          request={request}
          plain={refusalAt[step]}
          onRefuse={refuse}
          onClose={() => setRefusing(false)}
        />
      )}
    </main>
  );
}

/** State of sending an answer, one at a time. */
interface Answering {
  readonly busy: boolean;
  /** Error of the last answer. */
  readonly problem: string | null;
  readonly confirm: (pin: string) => void;
  readonly giveCertificate: () => void;
  readonly refuse: (reason: PhoneReason) => void;
}

/** @param tells true: the citizen tells the signals asked for */
function useAnswering(model: PhoneModel, request: PhoneRequest, tells: boolean): Answering {
  const say = useTexts();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  function explain(error: unknown): string {
    return pinMessageOf(error, request.pin ?? 'PIN2', say);
  }

  function attempt(sending: Promise<void>): void {
    setBusy(true);
    setProblem(null);
    sending.catch((error: unknown) => setProblem(explain(error))).finally(() => setBusy(false));
  }

  return {
    busy,
    problem,
    confirm: (pin) => attempt(model.confirm(request, pin, tells)),
    giveCertificate: () => attempt(model.giveCertificate(request)),
    refuse: (reason) => attempt(model.refuse(request, reason)),
  };
}

/** Entry of the PIN, which confirms, beside the refusal. */
function Pin({
  request: { pin },
  answering: { busy, problem, confirm },
  onRefuse,
}: {
  readonly request: PhoneRequest;
  readonly answering: Answering;
  readonly onRefuse: () => void;
}) {
  const say = useTexts();
  const name = pin ?? 'PIN2';
  const refusal = (
    <button
      type="button"
      className="corner"
      data-action="refuse"
      disabled={busy}
      onClick={onRefuse}
    >
      {say('refuse')}
    </button>
  );
  return (
    <>
      {problem === null ? (
        <p className="ask" role="status">
          {say(busy ? 'working' : `enter${name}`)}
        </p>
      ) : (
        // Same place as the text, so that no key moves under the finger.
        <p className="ask bad" role="alert" data-problem>
          {problem}
        </p>
      )}
      <PinPad length={pinLength[name]} disabled={busy} corner={refusal} onPin={confirm} />
    </>
  );
}

/** Buttons of a step: refusing is always possible; choosing a code confirms by itself. */
function Actions({
  step,
  busy,
  onAccept,
  onRefuse,
}: {
  readonly step: Step;
  readonly busy: boolean;
  readonly onAccept: () => void;
  readonly onRefuse: () => void;
}) {
  const say = useTexts();
  const hasYes = step === 'message' || step === 'certificate';
  return (
    <div className="actions">
      <button
        type="button"
        className={hasYes ? 'second' : 'quiet'}
        data-action="refuse"
        disabled={busy}
        onClick={onRefuse}
      >
        {say('refuse')}
      </button>
      {hasYes && (
        <button type="button" className="first" disabled={busy} onClick={onAccept}>
          {say(step === 'message' ? 'confirm' : 'giveCertificate')}
        </button>
      )}
    </div>
  );
}

function firstStepOf({ kind, interaction }: PhoneRequest): Step {
  if (kind === 'CERTIFICATE_CHOICE') return 'certificate';
  return interaction?.type === 'displayTextAndPIN' ? 'pin' : 'message';
}

/** Reason of a refusal at each step (contract §3). */
const refusalAt: Readonly<Record<Step, PhoneReason>> = {
  certificate: 'USER_REFUSED_CERT_CHOICE',
  message: 'USER_REFUSED_CONFIRMATIONMESSAGE',
  code: 'USER_REFUSED_VC_CHOICE',
  pin: 'USER_REFUSED',
};

/** Relying party and purpose of the request. */
function Asking({ request }: { readonly request: PhoneRequest }) {
  const say = useTexts();
  const { relyingPartyName, registeredName, subsystem, kind } = request;
  return (
    <div className="asking">
      <Heading>
        <bdi className="party">{printable(registeredName ?? relyingPartyName)}</bdi>{' '}
        <span className="wants">{say(wants[kind])}</span>
      </Heading>
      {registeredName !== null && (
        <p className="subsystem">
          {say('callsItself')} <bdi>«{printable(relyingPartyName)}»</bdi>
        </p>
      )}
      {subsystem !== null && (
        <p className="subsystem">
          <bdi>{printable(subsystem)}</bdi>
        </p>
      )}
    </div>
  );
}

function Facts({ request }: { readonly request: PhoneRequest }) {
  const say = useTexts();
  const { onBehalfOf, fileName, documentWarnings, documents = [] } = request;
  const hasFacts = fileName !== null || documentWarnings.length > 0 || documents.length > 0;
  if (onBehalfOf === null && !hasFacts) return null;
  return (
    <dl className="facts">
      {onBehalfOf !== null && (
        <Fact icon="building" label={say('onBehalfOf')}>
          <bdi>{printable(onBehalfOf.orgName)}</bdi>{' '}
          <small>
            {onBehalfOf.orgEtsi},{' '}
            {say('asRole', {
              role: printable(onBehalfOf.role ?? say(`role_${onBehalfOf.rightType}`)),
            })}
          </small>
        </Fact>
      )}
      {fileName !== null && (
        <Fact icon="file" label={say('file')}>
          <bdi>{printable(fileName)}</bdi>
        </Fact>
      )}
      {documentWarnings.length > 0 && (
        <Fact icon="warning" label={say('warnings')}>
          <span className="bad" data-warnings={documentWarnings.join(' ')}>
            {say('warningsText', { list: warningsInWords(documentWarnings, say) })}
          </span>
        </Fact>
      )}
      {documents.length > 0 && (
        <Fact icon="file" label={`${say('file')} (${documents.length})`}>
          <Documents documents={documents} inWords={(list) => warningsInWords(list, say)} />
        </Fact>
      )}
    </dl>
  );
}

/** Warnings of a document, those of newer services by their own names. */
function warningsInWords(warnings: readonly string[], say: Say): string {
  return warnings
    .map((warning) => {
      const key = `warning_${warning}`;
      return isTextKey(key) ? say(key) : printable(warning);
    })
    .join(', ');
}

/**
 * Text of the interaction; beside the PIN the short one, which may accompany the longer one shown
 * before.
 */
function Text({ request, step }: { readonly request: PhoneRequest; readonly step: Step }) {
  const say = useTexts();
  const { interaction, interactions } = request;
  if (step === 'certificate') return <p className="text">{say('giveCertificateText')}</p>;
  const short = interactions.find(({ type }) => type === 'displayTextAndPIN')?.displayText60;
  const text = (step === 'pin' ? short : undefined) ?? interaction?.text ?? '';
  return (
    <p className="text">
      <bdi>{printable(text)}</bdi>
    </p>
  );
}

/** Code to compare; hidden where it must be chosen. */
function Code({ request: { interaction, verificationCode } }: { readonly request: PhoneRequest }) {
  const say = useTexts();
  if (asksForCodeChoice(interaction)) return null;
  return (
    <div className="code">
      <p className="value" data-code={verificationCode}>
        <span className="unseen">{verificationCode.split('').join(' ')}</span>
        <span aria-hidden="true">{verificationCode}</span>
      </p>
      <p className="label">
        <b>{say('code')}</b>
        {say('compareCode')}
      </p>
    </div>
  );
}

function CodeChoice({
  code,
  disabled,
  onChoose,
}: {
  readonly code: string;
  readonly disabled: boolean;
  readonly onChoose: (code: string) => void;
}) {
  const say = useTexts();
  const [choice] = useState(() => codeChoice(code));
  return (
    <div className="code-choice" role="group" aria-labelledby="code-choice">
      <h2 id="code-choice">{say('chooseCode')}</h2>
      <p>{say('chooseCodeText')}</p>
      {choice.map((each) => (
        <button key={each} type="button" disabled={disabled} onClick={() => onChoose(each)}>
          {each}
        </button>
      ))}
    </div>
  );
}

function Refusal({
  request,
  plain,
  onRefuse,
  onClose,
}: {
  readonly request: PhoneRequest;
  readonly plain: PhoneReason;
  readonly onRefuse: (reason: PhoneReason) => void;
  readonly onClose: () => void;
}) {
  const say = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="sheet" aria-labelledby="refusal" onClose={onClose}>
      <h2 id="refusal">{say('refuseTitle')}</h2>
      <button type="button" className="second" onClick={() => onRefuse(plain)}>
        {say('refuseSimple')}
      </button>
      <button
        type="button"
        className="second"
        data-action="not-me"
        onClick={() => onRefuse('USER_REFUSED_NOT_ME')}
      >
        {say('refuseNotMe')}
      </button>
      {request.kind !== 'CERTIFICATE_CHOICE' && (
        <button type="button" className="second" onClick={() => onRefuse('WRONG_VC')}>
          {say('refuseCode')}
        </button>
      )}
      {request.kind === 'SIGNATURE' && (
        <button type="button" className="second" onClick={() => onRefuse('DOCUMENT_UNUSABLE')}>
          {say('refuseDocument')}
        </button>
      )}
      <button type="button" className="quiet" onClick={() => dialog.current?.close()}>
        {say('cancel')}
      </button>
    </dialog>
  );
}

/** Time left, as a ring and in figures. */
function TimeLeft({ endsAt, openedAt }: { readonly endsAt: number; readonly openedAt: number }) {
  const say = useTexts();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, endsAt - now);
  const share = left / Math.max(1, endsAt - openedAt);
  const seconds = Math.ceil(left / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return (
    <p className={`time ${seconds <= 20 ? 'short' : ''}`} role="timer" aria-live="off">
      <svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true">
        <circle className="track" cx="14" cy="14" r="11" pathLength="1" />
        <circle
          className="left"
          cx="14"
          cy="14"
          r="11"
          pathLength="1"
          strokeDasharray="1"
          strokeDashoffset={1 - Math.min(1, share)}
        />
      </svg>
      <span>{say('timeLeft', { time })}</span>
    </p>
  );
}
