import { type BatchDocument, documentsOf } from '../../domain/session/batch.ts';
import { sessionSecretDigest } from '../../domain/session/deviceLink.ts';
import type {
  DeviceLinkType,
  Interaction,
  NestedRequest,
  OnBehalfOf,
  SessionFlow,
  SessionKind,
  SessionStarted,
} from '../../domain/session/events.ts';
import type { SignalsAsked } from '../../domain/session/riskSignals.ts';
import { type SignatureProtocol, signatureProtocol } from '../../domain/session/signing.ts';
import {
  type Answerer,
  isAddressedTo,
  mayAnswer,
  type RunningSession,
  type Session,
} from '../../domain/session/session.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import type { HashAlgorithm, VerificationCodeType } from '../../domain/shared/digest.ts';
import { organizationEtsi } from '../../domain/shared/etsi.ts';
import type { DocumentWarning } from '../../domain/shared/documentWarnings.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import { isOfNewerRelease } from '../ports/faults.ts';
import type { DeviceData } from '../ports/referenceData.ts';
import type { Sessions } from '../session/sessions.ts';
import type { PreparedDocuments } from '../stamp/ports/preparedDocuments.ts';
import { answererOf, loadSessionFor } from './sessionAnswer.ts';
import type { SessionViews } from '../ports/sessionViews.ts';
import { inboxTopic } from '../../domain/shared/streams.ts';
import { type Notifications } from '../ports/notifications.ts';

/**
 * Data that a phone shows and signs. Without the verification code, which the phone computes from the data to be
 * signed.
 */
export interface SessionDetails {
  readonly sessionId: string;
  readonly kind: SessionKind;
  readonly flow: SessionFlow;
  /** Null for a certificate choice. */
  readonly signatureProtocol: SignatureProtocol | null;
  /** Signed as it is. */
  readonly relyingPartyName: string;
  /**
   * Registered name, shown before the sent one when that is not the relying party's own; null: only the sent name is
   * shown.
   */
  readonly registeredName: string | null;
  readonly subsystem: string | null;
  /** The phone shows the first it supports. */
  readonly interactions: readonly Interaction[];
  /** Base64, authentication only. */
  readonly rpChallenge: string | null;
  /** Base64, signature only. */
  readonly digest: string | null;
  readonly hashType: HashAlgorithm | null;
  readonly vcType: VerificationCodeType;
  readonly fileName: string | null;
  /** Of a batch, in the order to sign: all are shown, each gets a signature. Omitted otherwise. */
  readonly documents?: readonly (BatchDocument & {
    readonly documentWarnings: readonly DocumentWarning[];
  })[];
  /** Active content of the PDF prepared for this signature; empty also for a document the service never saw. */
  readonly documentWarnings: readonly DocumentWarning[];
  readonly certificateLevel: CertificateLevel;
  /** Represented organization; null: none. */
  readonly onBehalfOf:
    | (Omit<OnBehalfOf, 'register' | 'name'> & {
        readonly orgEtsi: string;
        readonly orgName: string;
      })
    | null;
  /** Signals of the phone that are told with the citizen's consent; null: none. */
  readonly riskSignals: SignalsAsked | null;
  readonly callbackUrl: string | null;
  /** Of the signed link the session was opened with; null otherwise. */
  readonly deviceLinkType: DeviceLinkType | null;
  /** Parameter the phone appends to the return address (contract §5); null for a push. */
  readonly sessionSecretDigest: string | null;
  /** The phone that was asked; null: any phone of the citizen may answer. */
  readonly documentNumber: string | null;
  /** Additional signed fields of a nested session; null for a flat one. */
  readonly nested: (NestedRequest & { readonly interactionsAsSent: string | null }) | null;
  /** ISO 8601. */
  readonly answerBefore: string;
}

export interface ReadSessionDependencies {
  readonly sessions: Sessions;
  readonly preparedDocuments: Pick<PreparedDocuments, 'warningsOf'>;
  readonly clock: Clock;
}

/** Abilities of a phone's app, as it says itself: an older one says nothing. */
export interface PhoneAbilities {
  /** Shows and signs several documents. */
  readonly batch: boolean;
  /** Names the risk signals asked for, and tells them. */
  readonly signals: boolean;
}

function canAnswer(
  { documents, riskSignals }: SessionStarted['data'],
  { batch, signals }: PhoneAbilities,
): boolean {
  return (documents === null || batch) && (riskSignals?.required !== true || signals);
}

/**
 * Returns a session's details to the phone that is to answer it. Opening a device link claims it: from then on only
 * this phone may answer.
 *
 * @throws Refusal CLIENT_TOO_OLD for what the phone's app cannot answer, SESSION_NOT_FOUND, SESSION_ALREADY_CLAIMED,
 * SESSION_ALREADY_COMPLETE, SESSION_EXPIRED
 */
export async function readSession(
  dependencies: ReadSessionDependencies,
  device: DeviceData,
  { sessionId, can }: { readonly sessionId: string; readonly can: PhoneAbilities },
  context: CommandContext,
): Promise<SessionDetails> {
  const { sessions, clock } = dependencies;
  const by = answererOf(device);
  const { started } = await loadSessionFor(sessions, sessionId, (each) => isAddressedTo(each, by));
  const claim = { by, can, deviceLinkType: null, now: clock.now() };
  return claimSession(dependencies, started, claim, context);
}

/**
 * Claims a device link for a device; a push needs no claim. A session that names a phone whose app cannot answer it ends
 * here, since its relying party would wait in vain; another one may be opened by another phone.
 *
 * @throws Refusal as {@link readSession}
 */
export async function claimSession(
  { sessions, preparedDocuments }: Pick<ReadSessionDependencies, 'sessions' | 'preparedDocuments'>,
  started: SessionStarted['data'],
  {
    by,
    can,
    deviceLinkType,
    now: claimedAt,
  }: {
    readonly by: Answerer;
    readonly can: PhoneAbilities;
    /** Of a verified signed link. */
    readonly deviceLinkType: DeviceLinkType | null;
    readonly now: Date;
  },
  context: CommandContext,
): Promise<SessionDetails> {
  const { sessionId, relyingPartyId } = started;
  const isAble = canAnswer(started, can);
  if (!isAble && started.documentNumber === null) throw new Refusal('CLIENT_TOO_OLD');
  const now = claimedAt.toISOString();
  const claim = { type: 'ClaimSession', by, deviceLinkType, now } as const;
  const { state } = await sessions.handle(sessionId, claim, context);
  if (state.status !== 'RUNNING') throw new Refusal('SESSION_ALREADY_COMPLETE');
  if (!isAble) {
    const endResult = 'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP';
    await sessions.handle(sessionId, { type: 'FailSession', by, endResult, now }, context);
    throw new Refusal('CLIENT_TOO_OLD');
  }
  const batch = documentsOf(started);
  const digests = [started, ...(batch ?? [])].flatMap(hexDigest);
  const found =
    started.kind === 'SIGNATURE'
      ? await preparedDocuments.warningsOf(relyingPartyId, digests, claimedAt)
      : null;
  const withWarnings = <Of extends Digested>(of: Of) => ({
    ...of,
    documentWarnings: hexDigest(of).flatMap((digest) => found?.get(digest) ?? []),
  });
  const details = withWarnings(detailsOf(state));
  return batch === null ? details : { ...details, documents: batch.map(withWarnings) };
}

interface Digested {
  /** Base64. */
  readonly digest: string | null;
}

/** The digest as prepared documents have it; none for what has none. */
const hexDigest = ({ digest }: Digested): readonly string[] =>
  digest === null ? [] : [Buffer.from(digest, 'base64').toString('hex')];

function detailsOf(
  session: RunningSession,
): Omit<SessionDetails, 'documents' | 'documentWarnings'> {
  const { started, claimedBy } = session;
  const { nested, deviceLink, interactionsAsSent } = started;
  return {
    sessionId: started.sessionId,
    kind: started.kind,
    flow: started.flow,
    signatureProtocol: signatureProtocol(started),
    relyingPartyName: started.relyingPartyName,
    registeredName: started.registeredName,
    subsystem: started.subsystem,
    interactions: started.interactions,
    rpChallenge: started.rpChallenge,
    digest: started.digest,
    hashType: started.hashType,
    vcType: started.vcType,
    fileName: started.fileName,
    certificateLevel: started.certificateLevel,
    onBehalfOf: organizationOf(started),
    riskSignals: started.riskSignals,
    callbackUrl: started.callbackUrl,
    deviceLinkType: claimedBy?.deviceLinkType ?? null,
    sessionSecretDigest: deviceLink === null ? null : sessionSecretDigest(deviceLink.sessionSecret),
    documentNumber: started.documentNumber,
    nested: nested === null ? null : { ...nested, interactionsAsSent },
    answerBefore: started.answerBefore,
  };
}

function organizationOf({ onBehalfOf }: SessionStarted['data']): SessionDetails['onBehalfOf'] {
  if (onBehalfOf === null) return null;
  const { register, name, ...right } = onBehalfOf;
  return { orgEtsi: organizationEtsi(register), orgName: name, ...right };
}

export interface InboxDependencies {
  readonly sessionViews: Pick<SessionViews, 'runningSessionsOf'>;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly notifications: Notifications;
  readonly clock: Clock;
}

export interface InboxRequest {
  /** Time to wait for a new session, ms; 0: none. */
  readonly timeoutMs: number;
  /** Sessions already known to the phone, which do not end the wait. */
  readonly seen: readonly string[];
  /** Registers a callback for when the client disconnects or the server stops; returns the unregister function. */
  readonly onGone: (callback: () => void) => () => void;
}

/** News for a phone. */
export interface Inbox {
  /** Ids of push sessions this phone may answer and does not know yet, oldest first. */
  readonly sessions: readonly string[];
  /** Sessions it knows that run no more, as far as the read model shows: to be opened again, which says so for sure. */
  readonly ended: readonly string[];
}

/**
 * Waits for a session the phone does not know, or for the end of one it knows that still ran when the wait began. Without
 * new sessions at the timeout, or when the client disconnects.
 */
export async function readInbox(
  dependencies: InboxDependencies,
  device: DeviceData,
  { timeoutMs, seen, onGone }: InboxRequest,
): Promise<Inbox> {
  const deadline = deadlineOf(timeoutMs, onGone);
  let before: readonly string[] | undefined;
  const isNews = ({ sessions, ended }: Inbox) =>
    sessions.length > 0 || ended.some((id) => before?.includes(id) === false);
  try {
    for (;;) {
      const last = deadline.isOver();
      const inbox = await readOrWait(dependencies, device, { seen, isNews, over: deadline.ended });
      if (last || isNews(inbox)) return inbox;
      before ??= inbox.ended;
    }
  } finally {
    deadline.cancel();
  }
}

/** Returns the inbox; without news, after a change. */
async function readOrWait(
  dependencies: InboxDependencies,
  device: DeviceData,
  {
    seen,
    isNews,
    over,
  }: {
    readonly seen: readonly string[];
    readonly isNews: (inbox: Inbox) => boolean;
    readonly over: Promise<void>;
  },
): Promise<Inbox> {
  // Listens before reading, so that no change in between is missed.
  const listener = dependencies.notifications.listen(inboxTopic(device.civilId));
  try {
    const inbox = await inboxOf(dependencies, device, seen);
    if (!isNews(inbox)) await Promise.race([listener.changed, over]);
    return inbox;
  } finally {
    listener.cancel();
  }
}

function deadlineOf(timeoutMs: number, onGone: InboxRequest['onGone']) {
  let over = timeoutMs <= 0;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = () => {
      over = true;
      resolve();
    };
  });
  if (over) end();
  const timer = setTimeout(end, timeoutMs);
  const unregister = onGone(end);
  return {
    isOver: () => over,
    ended,
    cancel: () => {
      clearTimeout(timer);
      unregister();
    },
  };
}

async function inboxOf(
  { sessionViews, sessions, clock }: InboxDependencies,
  device: DeviceData,
  seen: readonly string[],
): Promise<Inbox> {
  const by = answererOf(device);
  const listed = await sessionViews.runningSessionsOf(device.civilId, clock.now());
  const unseen: string[] = [];
  for (const id of listed) {
    if (seen.includes(id)) continue;
    // The view lags and does not know the addressed device.
    const state = await readable(sessions, id);
    if (state?.status === 'RUNNING' && mayAnswer(state, by)) unseen.push(id);
  }
  return { sessions: unseen, ended: seen.filter((id) => !listed.includes(id)) };
}

/** State of a session; null: a newer release wrote it, whose processes show it, and the others are shown here. */
async function readable(
  sessions: InboxDependencies['sessions'],
  id: string,
): Promise<Session | null> {
  try {
    return (await sessions.load(id)).state;
  } catch (error) {
    if (isOfNewerRelease(error)) return null;
    throw error;
  }
}
