import type { CertificateLevel } from '../shared/certificateLevel.ts';
import { type Decider, unreachable } from '../shared/decider.ts';
import { Refusal } from '../shared/refusal.ts';
import { type DocumentSignature, type SignedDocument, signedDocuments } from './batch.ts';
import {
  cancelled,
  type CertificateChosen,
  type DeviceLinkType,
  type EndResult,
  type FailureResult,
  type NestedAnswer,
  notMe,
  type RefusalResult,
  type RiskSignalsTold,
  type SessionConfirmed,
  type SessionEvent,
  type SessionStarted,
} from './events.ts';
import { type SentSignals, signalsToTell } from './riskSignals.ts';

// State

/** Answering device and its owner. */
export interface Answerer {
  readonly documentNumber: string;
  readonly civilId: string;
}

/** Device that opened a device link, and how. */
export interface Claim extends Answerer {
  readonly deviceLinkType: DeviceLinkType | null;
}

/** Outcome of a completed session. */
export interface Outcome {
  readonly endResult: EndResult;
  readonly documentNumber: string | null;
  /** Present exactly when endResult is OK and something was signed. */
  readonly confirmation: SessionConfirmed['data'] | null;
  /** Signatures of a batch that ended with OK, in the order of its documents; otherwise empty. */
  readonly documents: readonly SignedDocument[];
  /** Present exactly when endResult is OK in a certificate choice. */
  readonly chosen: CertificateChosen['data'] | null;
  /** The interaction that was refused, for `USER_REFUSED_INTERACTION`. */
  readonly refusedInteraction: string | null;
  readonly completedAt: string;
}

export type Session =
  | { readonly status: 'NONE' }
  | {
      readonly status: 'RUNNING';
      readonly started: SessionStarted['data'];
      readonly claimedBy: Claim | null;
      /** Within the append that confirms a batch: those before the confirmation itself. */
      readonly signed: readonly SignedDocument[];
      /** Null: none were asked for, or the citizen told none. */
      readonly signalsTold: RiskSignalsTold['data'] | null;
    }
  | {
      readonly status: 'COMPLETE';
      readonly started: SessionStarted['data'];
      readonly claimedBy: Claim | null;
      /** Null: none were asked for, or the citizen told none. */
      readonly signalsTold: RiskSignalsTold['data'] | null;
      readonly outcome: Outcome;
    };

export type RunningSession = Extract<Session, { status: 'RUNNING' }>;
export type CompleteSession = Extract<Session, { status: 'COMPLETE' }>;
export type StartedSession = RunningSession | CompleteSession;

const initial: Session = { status: 'NONE' };

function evolve(session: Session, event: SessionEvent): Session {
  if (event.type === 'SessionStarted') {
    const { data: started } = event;
    return { status: 'RUNNING', started, claimedBy: null, signed: [], signalsTold: null };
  }
  if (session.status !== 'RUNNING') return session;
  switch (event.type) {
    case 'SessionClaimed': {
      const { documentNumber, civilId, deviceLinkType } = event.data;
      return { ...session, claimedBy: { documentNumber, civilId, deviceLinkType } };
    }
    case 'BatchDocumentSigned':
      return { ...session, signed: [...session.signed, event.data] };
    case 'RiskSignalsTold':
      return { ...session, signalsTold: event.data };
    default:
      return end(session, event);
  }
}

type GoingOn = 'SessionStarted' | 'SessionClaimed' | 'BatchDocumentSigned' | 'RiskSignalsTold';

function end(
  session: RunningSession,
  event: Exclude<SessionEvent, { type: GoingOn }>,
): CompleteSession {
  switch (event.type) {
    case 'SessionConfirmed':
      return complete(session, {
        endResult: 'OK',
        documentNumber: event.data.documentNumber,
        confirmation: event.data,
        completedAt: event.data.completedAt,
      });
    case 'CertificateChosen':
      return complete(session, {
        endResult: 'OK',
        documentNumber: event.data.documentNumber,
        chosen: event.data,
        completedAt: event.data.completedAt,
      });
    case 'SessionRefused':
      return complete(session, { ...event.data, refusedInteraction: event.data.interaction });
    case 'SessionDisowned':
      return complete(session, { ...event.data, endResult: notMe });
    case 'SessionFailed':
      return complete(session, event.data);
    case 'SessionExpired':
      return complete(session, {
        endResult: 'TIMEOUT',
        documentNumber: null,
        completedAt: event.data.completedAt,
      });
    case 'SessionCancelled':
      return complete(session, { ...event.data, endResult: cancelled, documentNumber: null });
    default:
      return unreachable(event);
  }
}

function complete(
  session: RunningSession,
  outcome: Pick<Outcome, 'endResult' | 'documentNumber' | 'completedAt'> & Partial<Outcome>,
): CompleteSession {
  return {
    status: 'COMPLETE',
    started: session.started,
    claimedBy: session.claimedBy,
    signalsTold: session.signalsTold,
    outcome: {
      endResult: outcome.endResult,
      documentNumber: outcome.documentNumber,
      confirmation: outcome.confirmation ?? null,
      documents: session.signed,
      chosen: outcome.chosen ?? null,
      refusedInteraction: outcome.refusedInteraction ?? null,
      completedAt: outcome.completedAt,
    },
  };
}

// Commands

export type SessionCommand =
  | { readonly type: 'StartSession'; readonly started: SessionStarted['data'] }
  | {
      readonly type: 'ClaimSession';
      readonly by: Answerer;
      /** Of a verified signed link; null: the session was opened by its id. */
      readonly deviceLinkType: DeviceLinkType | null;
      readonly now: string;
    }
  | {
      readonly type: 'ChooseCertificate';
      readonly by: Answerer;
      /** The device's signing certificate, already verified. */
      readonly certificateSerial: string;
      readonly certificateLevel: CertificateLevel;
      readonly now: string;
    }
  | {
      readonly type: 'ConfirmSession';
      readonly by: Answerer;
      /** Verification code computed by the phone and compared by the citizen. */
      readonly verificationCode: string;
      /** Already verified against `certificateSerial` and the exact payload of this session. */
      readonly signature: string;
      readonly signatureAlgorithm: string;
      /** Of a batch one a document, the first `signature`, verified as that; otherwise empty. */
      readonly documents: readonly DocumentSignature[];
      readonly certificateSerial: string;
      readonly certificateLevel: CertificateLevel;
      readonly interactionTypeUsed: string;
      readonly nested: NestedAnswer | null;
      /** Signals of the phone, which the citizen agrees to tell; omitted or null: none. */
      readonly riskSignals?: SentSignals | null;
      readonly now: string;
    }
  | {
      readonly type: 'RefuseSession';
      readonly by: Answerer;
      readonly endResult: RefusalResult;
      readonly interaction: string | null;
      readonly now: string;
    }
  | {
      readonly type: 'FailSession';
      readonly by: Answerer;
      readonly endResult: FailureResult;
      readonly now: string;
    }
  | { readonly type: 'ExpireSession'; readonly now: string }
  | {
      readonly type: 'CancelSession';
      /** The caller; sessions that are not its own, see {@link isOf}, do not exist for it. */
      readonly relyingPartyId: string;
      readonly now: string;
    };

// Decisions

function decide(command: SessionCommand, session: Session): readonly SessionEvent[] {
  switch (command.type) {
    case 'StartSession':
      return session.status === 'NONE' ? [{ type: 'SessionStarted', data: command.started }] : [];
    case 'ClaimSession':
      return claim(command, session);
    case 'ConfirmSession':
      return confirm(command, session);
    case 'ChooseCertificate':
      return choose(command, session);
    case 'RefuseSession':
      return refuse(command, session);
    case 'FailSession':
      return fail(command, session);
    case 'ExpireSession':
      return expire(command, session);
    case 'CancelSession':
      return cancel(command, session);
    default:
      return unreachable(command);
  }
}

type Command<Type extends SessionCommand['type']> = Extract<SessionCommand, { type: Type }>;

function claim(command: Command<'ClaimSession'>, session: Session): readonly SessionEvent[] {
  const running = expectAnswerable(session, command.now);
  if (!isAddressedTo(running, command.by)) throw new Refusal('SESSION_NOT_FOUND');
  if (running.started.flow !== 'DEVICE_LINK') return [];
  if (running.claimedBy?.documentNumber === command.by.documentNumber) return [];
  if (running.claimedBy !== null) throw new Refusal('SESSION_ALREADY_CLAIMED');
  const { by, deviceLinkType, now } = command;
  return [{ type: 'SessionClaimed', data: { ...by, deviceLinkType, claimedAt: now } }];
}

function confirm(command: Command<'ConfirmSession'>, session: Session): readonly SessionEvent[] {
  if (session.status === 'COMPLETE' && isRepeatedConfirmation(session, command)) return [];
  const running = expectAnswerableBy(session, command);
  expectAnsweredAs(running, 'signature');
  const { documentNumber, civilId } = command.by;
  if (command.verificationCode !== running.started.verificationCode) {
    return [
      {
        type: 'SessionFailed',
        data: { documentNumber, endResult: 'WRONG_VC', completedAt: command.now },
      },
    ];
  }
  return [
    ...tell(command, running.started),
    ...signedDocuments(running.started, command),
    {
      type: 'SessionConfirmed',
      data: {
        documentNumber,
        civilId,
        signature: command.signature,
        signatureAlgorithm: command.signatureAlgorithm,
        certificateSerial: command.certificateSerial,
        certificateLevel: command.certificateLevel,
        interactionTypeUsed: command.interactionTypeUsed,
        nested: command.nested,
        completedAt: command.now,
      },
    },
  ];
}

/** Tells what was asked for and no more, when the citizen agreed. */
function tell(
  { by, riskSignals: sent = null, now }: Command<'ConfirmSession'>,
  { riskSignals: asked, relyingPartyId }: SessionStarted['data'],
): readonly SessionEvent[] {
  if (asked === null) return [];
  if (sent === null) {
    if (!asked.required) return [];
    const detail = 'The relying party takes no confirmation without them.';
    throw new Refusal('INVALID_REQUEST', { errors: [{ pointer: '/riskSignals', detail }] });
  }
  const { names } = asked;
  const signals = signalsToTell(names, sent);
  return [
    { type: 'RiskSignalsTold', data: { ...by, relyingPartyId, names, signals, toldAt: now } },
  ];
}

function isRepeatedConfirmation(session: CompleteSession, command: Command<'ConfirmSession'>) {
  const confirmation = session.outcome.confirmation;
  return (
    confirmation !== null &&
    confirmation.documentNumber === command.by.documentNumber &&
    confirmation.signature === command.signature
  );
}

function choose(command: Command<'ChooseCertificate'>, session: Session): readonly SessionEvent[] {
  if (session.status === 'COMPLETE' && isRepeatedChoice(session, command)) return [];
  expectAnsweredAs(expectAnswerableBy(session, command), 'choice');
  const { by, certificateSerial, certificateLevel, now } = command;
  return [
    {
      type: 'CertificateChosen',
      data: { ...by, certificateSerial, certificateLevel, completedAt: now },
    },
  ];
}

function isRepeatedChoice(session: CompleteSession, { by }: Command<'ChooseCertificate'>): boolean {
  return session.outcome.chosen?.documentNumber === by.documentNumber;
}

function expectAnsweredAs({ started }: RunningSession, answer: 'signature' | 'choice'): void {
  const expected = started.kind === 'CERTIFICATE_CHOICE' ? 'choice' : 'signature';
  if (answer === expected) return;
  const detail = `This session is answered by a ${expected}.`;
  throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '#/path', detail }] });
}

function refuse(command: Command<'RefuseSession'>, session: Session): readonly SessionEvent[] {
  if (isRepeatedAnswer(session, command)) return [];
  const { relyingPartyId } = expectAnswerableBy(session, command).started;
  const { by, endResult, interaction, now: completedAt } = command;
  if (endResult === notMe) {
    return [{ type: 'SessionDisowned', data: { ...by, relyingPartyId, completedAt } }];
  }
  const { documentNumber } = by;
  return [
    { type: 'SessionRefused', data: { documentNumber, endResult, interaction, completedAt } },
  ];
}

function fail(command: Command<'FailSession'>, session: Session): readonly SessionEvent[] {
  if (isRepeatedAnswer(session, command)) return [];
  expectAnswerableBy(session, command);
  return [
    {
      type: 'SessionFailed',
      data: {
        documentNumber: command.by.documentNumber,
        endResult: command.endResult,
        completedAt: command.now,
      },
    },
  ];
}

function isRepeatedAnswer(
  session: Session,
  command: Command<'RefuseSession'> | Command<'FailSession'>,
): boolean {
  return (
    session.status === 'COMPLETE' &&
    session.outcome.endResult === command.endResult &&
    session.outcome.documentNumber === command.by.documentNumber
  );
}

function expire(command: Command<'ExpireSession'>, session: Session): readonly SessionEvent[] {
  if (session.status !== 'RUNNING' || command.now < session.started.answerBefore) return [];
  return [{ type: 'SessionExpired', data: { completedAt: command.now } }];
}

/** A session that has ended stays as it ended: the answer may have come first. */
function cancel(command: Command<'CancelSession'>, session: Session): readonly SessionEvent[] {
  const { relyingPartyId, now } = command;
  if (session.status === 'NONE' || !isOf(session, relyingPartyId)) {
    throw new Refusal('SESSION_NOT_FOUND');
  }
  if (session.status === 'COMPLETE') return [];
  if (now >= session.started.answerBefore) return expire({ type: 'ExpireSession', now }, session);
  return [{ type: 'SessionCancelled', data: { relyingPartyId, completedAt: now } }];
}

function expectAnswerable(session: Session, now: string): RunningSession {
  if (session.status === 'NONE') throw new Refusal('SESSION_NOT_FOUND');
  if (session.status === 'COMPLETE') throw new Refusal('SESSION_ALREADY_COMPLETE');
  if (now >= session.started.answerBefore) throw new Refusal('SESSION_EXPIRED');
  return session;
}

/** For another citizen's device the session does not exist, whatever its state. */
function expectAnswerableBy(session: Session, command: { by: Answerer; now: string }) {
  if (session.status !== 'NONE' && !mayAnswer(session, command.by)) {
    throw new Refusal('SESSION_NOT_FOUND');
  }
  return expectAnswerable(session, command.now);
}

/**
 * True for a session that the relying party asked for itself. A login of its OpenID Connect client is none: of that the
 * client learns what the citizen agreed to, and a pairwise subject (OpenID Connect Core §5.4, §8.1).
 */
export function isOf({ started }: StartedSession, relyingPartyId: string): boolean {
  return started.relyingPartyId === relyingPartyId && !started.openIdLogin;
}

/** Civil id of the citizen a session concerns: who answered, opened or was asked; null: nobody yet. */
export function citizenOf(session: StartedSession): string | null {
  const { started, claimedBy } = session;
  const outcome = session.status === 'COMPLETE' ? session.outcome : null;
  return (outcome?.confirmation ?? outcome?.chosen ?? claimedBy ?? started).civilId;
}

/**
 * True when the session is addressed to this citizen and device; an anonymous link is addressed to whoever opens it.
 */
export function isAddressedTo(session: StartedSession, by: Answerer): boolean {
  const { civilId, documentNumber } = session.started;
  if (civilId !== null && civilId !== by.civilId) return false;
  return documentNumber === null || documentNumber === by.documentNumber;
}

/** True when this device may answer now: addressed to it and, for a device link, claimed by it. */
export function mayAnswer(session: StartedSession, by: Answerer): boolean {
  if (!isAddressedTo(session, by)) return false;
  return (
    session.started.flow === 'NOTIFICATION' ||
    session.claimedBy?.documentNumber === by.documentNumber
  );
}

/** The session aggregate: one outcome, once, by its owner, in time. Stream `session-<uuid>`. */
export const sessionDecider: Decider<Session, SessionCommand, SessionEvent> = {
  initial,
  evolve,
  decide,
};
