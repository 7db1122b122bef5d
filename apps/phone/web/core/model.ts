import { printable } from '../../interactions.ts';
import type { EnrolOptions, Phone, PhoneIdentity } from '../../phone.ts';
import { PinError, type RestingPin, type TypedPin } from '../../pinKeys.ts';
import { ServiceError } from '../../service.ts';
import {
  askedBy,
  fileNameOf,
  type PhoneReason,
  type PhoneRequest,
  type PinName,
  returnTo,
} from '../../session.ts';
import type { Notice } from '../../sessionCalls.ts';
import { type Connection, watchInbox } from './inbox.ts';
import type { HistoryEntry, Store } from './store.ts';

/** A request that waits for the citizen. */
export interface Waiting {
  readonly request: PhoneRequest;
  /** End of its time to answer, ms since 1970. */
  readonly endsAt: number;
  /** Opening on this phone, ms since 1970. */
  readonly openedAt: number;
}

/** Result of a request, shown once. */
export interface Ended {
  readonly request: PhoneRequest;
  readonly endResult: string;
  /** Callback URL; null: none. */
  readonly returnTo: string | null;
}

/** State shown by the page. */
export interface PhoneView {
  readonly phase: 'loading' | 'unset' | 'ready';
  readonly identity: PhoneIdentity | null;
  readonly connection: Connection;
  /** Waiting requests; the first is shown. */
  readonly waiting: readonly Waiting[];
  readonly ended: Ended | null;
  /** News not closed yet, the newest first. */
  readonly notices: readonly Notice[];
  /** Requests that this phone cannot answer since their PIN is locked, and another may. */
  readonly leftOut: readonly PhoneRequest[];
  /** PINs that can never be used again; the way out is to set the phone up anew. */
  readonly lockedPins: readonly PinName[];
  /** PINs that are locked for a time. */
  readonly restingPins: readonly RestingPin[];
  /** History, the newest first. */
  readonly history: readonly HistoryEntry[];
}

/** State and commands of the phone. */
export interface PhoneModel {
  readonly view: () => PhoneView;
  /** @returns function that unsubscribes */
  subscribe(listener: () => void): () => void;
  /**
   * Loads the stored state and starts polling. @throws ServiceError when an enrolment could not be
   * completed
   */
  start(): Promise<void>;
  enrol(options: EnrolOptions): Promise<void>;
  /** Starts polling, after the citizen has seen that the phone is ready. */
  ready(): void;
  /** Opens a link or session id as the first request. @throws LinkError, ServiceError */
  open(link: string): Promise<void>;
  /** Says that the request's PIN field is shown. */
  showsPin(request: PhoneRequest): void;
  /** @param tells true: tells the signals asked for @throws PinError, ServiceError */
  confirm(request: PhoneRequest, pin: string, tells?: boolean): Promise<void>;
  giveCertificate(request: PhoneRequest): Promise<void>;
  refuse(request: PhoneRequest, reason: PhoneReason): Promise<void>;
  /** Moves the first request behind the others. */
  postpone(): void;
  /** Closes the result. */
  dismiss(): void;
  /** Reads the history from the service; without an answer what this phone remembers stays. */
  readHistory(): Promise<void>;
  closeNotice(noticeId: string): void;
  /** "It was not me", to a notice of another phone. @throws PinError, ServiceError */
  disown(notice: Notice, pin1: string): Promise<void>;
  /** Tries a PIN before another is chosen. @throws PinError */
  checkPin(typed: TypedPin): Promise<void>;
  /** Replaces a PIN. @throws PinError */
  changePin(former: TypedPin, pin: string): Promise<void>;
  /** Deactivates the phone at the service and deletes it here. */
  remove(): Promise<void>;
  /** Deletes the phone's data here, independent of the service. */
  forget(): Promise<void>;
}

/** Codes of refusals after which the request is over. */
const overCodes: Readonly<Record<string, string>> = {
  SESSION_EXPIRED: 'TIMEOUT',
  SESSION_NOT_FOUND: 'ENDED_ELSEWHERE',
  SESSION_ALREADY_COMPLETE: 'ENDED_ELSEWHERE',
  SESSION_ALREADY_CLAIMED: 'ENDED_ELSEWHERE',
};

/** @param onArrival called with requests that arrive by polling */
export function createPhoneModel(
  store: Store,
  phone: Phone,
  onArrival: (request: PhoneRequest) => void = () => undefined,
): PhoneModel {
  let view: PhoneView = {
    phase: 'loading',
    identity: null,
    connection: 'connected',
    waiting: [],
    ended: null,
    notices: [],
    leftOut: [],
    lockedPins: [],
    restingPins: [],
    history: [],
  };
  const listeners = new Set<() => void>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** Notices closed on this page. */
  const closed = new Set<string>();
  let stopWatching = () => {};
  let restEnds: ReturnType<typeof setTimeout> | undefined;

  function show(changes: Partial<PhoneView>): void {
    view = { ...view, ...changes };
    for (const listener of listeners) listener();
  }

  function watch(): void {
    stopWatching();
    stopWatching = watchInbox(phone, {
      known: () =>
        [...view.leftOut, ...view.waiting.map(({ request }) => request)].map(
          ({ sessionId }) => sessionId,
        ),
      onSession: arrive,
      onEnded: (sessionIds) => void letGo(sessionIds),
      onNews: readNotices,
      onConnection: (connection) => show({ connection }),
    });
  }

  /** Ends requests on the screen that the service says are over: taken back, or answered elsewhere. */
  async function letGo(sessionIds: readonly string[]): Promise<void> {
    forgetLeftOut(sessionIds);
    for (const { request } of view.waiting) {
      if (!sessionIds.includes(request.sessionId)) continue;
      const error: unknown = await phone.open(request.sessionId).then(
        () => null,
        (cause: unknown) => cause,
      );
      const over = error instanceof ServiceError ? overCodes[error.code] : undefined;
      if (over !== undefined) await end(request, over);
    }
  }

  async function readNotices(): Promise<void> {
    const notices = await phone.notices();
    show({ notices: notices.filter(({ noticeId }) => !closed.has(noticeId)) });
  }

  async function arrive(sessionId: string): Promise<void> {
    const request = await phone.open(sessionId);
    await take(request, 'last');
    if (view.waiting.some((waiting) => waiting.request === request)) onArrival(request);
  }

  function isLocked(pin: PinName): boolean {
    return view.lockedPins.includes(pin) || view.restingPins.some((each) => each.pin === pin);
  }

  async function take(request: PhoneRequest, where: 'first' | 'last'): Promise<void> {
    if (request.interaction === null && request.kind !== 'CERTIFICATE_CHOICE') {
      const reason = 'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP';
      await refuse(request, reason);
      return;
    }
    if (request.pin !== null && isLocked(request.pin)) {
      await leave(request);
      return;
    }
    const endsAt = Date.parse(request.answerBefore);
    const waiting = { request, endsAt, openedAt: Date.now() };
    const others = view.waiting.filter(({ request: one }) => one.sessionId !== request.sessionId);
    show({
      waiting: where === 'first' ? [waiting, ...others] : [...others, waiting],
      ...(where === 'first' ? { ended: null } : {}),
    });
    clearTimeout(timers.get(request.sessionId));
    const expire = () => void end(request, 'TIMEOUT');
    timers.set(request.sessionId, setTimeout(expire, Math.max(0, endsAt - Date.now())));
  }

  /** Sends an answer; when it is too late the request ends here, too. */
  async function finish(request: PhoneRequest, send: () => Promise<string>): Promise<void> {
    let endResult: string;
    try {
      endResult = await send();
    } catch (error) {
      const over = error instanceof ServiceError ? overCodes[error.code] : undefined;
      if (over === undefined) throw error;
      endResult = over;
    }
    await end(request, endResult);
  }

  const refuse = (request: PhoneRequest, reason: PhoneReason) =>
    finish(request, () => phone.refuse(request.sessionId, reason, request.interaction?.type));

  /**
   * Lets go of a request whose PIN is locked: what only this phone can answer is refused, a link it claimed and a push to
   * it alone; another push may be answered by another phone of the citizen, and the first answer would end it there.
   */
  async function leave(request: PhoneRequest): Promise<void> {
    const isForThisAlone = typeof request.documentNumber === 'string';
    if (request.sessionSecretDigest !== null || isForThisAlone) {
      await refuse(request, 'DOCUMENT_UNUSABLE');
      return;
    }
    forgetWaiting(request);
    show({ leftOut: [...view.leftOut, request] });
    const expire = () => forgetLeftOut([request.sessionId]);
    const left = Math.max(0, Date.parse(request.answerBefore) - Date.now());
    timers.set(request.sessionId, setTimeout(expire, left));
  }

  function forgetLeftOut(sessionIds: readonly string[]): void {
    const leftOut = view.leftOut.filter(({ sessionId }) => !sessionIds.includes(sessionId));
    if (leftOut.length < view.leftOut.length) show({ leftOut });
  }

  function forgetWaiting({ sessionId }: PhoneRequest): void {
    clearTimeout(timers.get(sessionId));
    timers.delete(sessionId);
    show({ waiting: view.waiting.filter((one) => one.request.sessionId !== sessionId) });
  }

  /** Shows which PINs are locked, again when a rest is over. */
  async function showLocks(): Promise<void> {
    const [lockedPins, restingPins] = await Promise.all([phone.lockedPins(), phone.restingPins()]);
    show({ lockedPins, restingPins });
    clearTimeout(restEnds);
    const ends = restingPins.map(({ until }) => Date.parse(until));
    if (ends.length === 0) return;
    restEnds = setTimeout(() => void showLocks(), Math.min(...ends) - Date.now());
  }

  /** Reads which PINs are locked, and says so to the service; repeated at each start. */
  async function readLocks(): Promise<void> {
    await showLocks();
    await Promise.allSettled(view.lockedPins.map((pin) => phone.reportLocked(pin)));
  }

  /** Signs with a PIN. One that is locked by it refuses the request, and lets go of the others it should answer. */
  async function confirm(request: PhoneRequest, pin: string, tells = false): Promise<void> {
    try {
      await finish(request, () => phone.confirm(request, pin, tells));
    } catch (error) {
      if (!(error instanceof PinError) || error.attemptsLeft > 0) throw error;
      await readLocks();
      const others = view.waiting.map((waiting) => waiting.request);
      for (const other of others.filter((each) => each.pin === request.pin && each !== request)) {
        await leave(other);
      }
      await refuse(request, 'DOCUMENT_UNUSABLE');
    }
  }

  async function end(request: PhoneRequest, endResult: string): Promise<void> {
    forgetWaiting(request);
    show({
      ended: { request, endResult, returnTo: isAnswered(endResult) ? addressOf(request) : null },
    });
    await store.remember(entryOf(request, endResult));
    show({ history: await store.history() });
  }

  async function readHistory(): Promise<void> {
    try {
      const past = await phone.history();
      show({ history: merged(past, await store.history()) });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  async function reset(): Promise<void> {
    stopWatching();
    for (const timer of timers.values()) clearTimeout(timer);
    timers.clear();
    await store.clear();
    clearTimeout(restEnds);
    const nobody = { identity: null, waiting: [], leftOut: [], ended: null, history: [] };
    show({ phase: 'unset', ...nobody, lockedPins: [], restingPins: [] });
  }

  return {
    view: () => view,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: async () => {
      const identity = await phone.identity();
      const history = await store.history();
      show({ identity, history, phase: identity === null ? 'unset' : 'ready' });
      if (identity !== null) {
        await showLocks();
        watch();
        await readLocks();
      }
    },
    enrol: async (options) => {
      const identity = await phone.enrol(options);
      show({ identity, connection: 'connected' });
    },
    ready: () => {
      show({ phase: 'ready' });
      watch();
    },
    open: async (link) => take(await phone.open(link), 'first'),
    showsPin: ({ sessionId }) => phone.showsPin(sessionId),
    confirm,
    giveCertificate: (request) => finish(request, () => phone.giveCertificate(request)),
    refuse,
    postpone: () => {
      const [first, ...others] = view.waiting;
      if (first !== undefined) show({ waiting: [...others, first] });
    },
    dismiss: () => show({ ended: null }),
    closeNotice: (noticeId) => {
      closed.add(noticeId);
      show({ notices: view.notices.filter((each) => each.noticeId !== noticeId) });
    },
    readHistory,
    disown: async (notice, pin1) => {
      await phone.disown(notice, pin1).finally(() => readLocks());
      await readNotices();
    },
    checkPin: (typed) => phone.checkPin(typed).finally(() => readLocks()),
    changePin: (former, pin) => phone.changePin(former, pin).finally(() => readLocks()),
    remove: async () => {
      await phone.deactivate();
      await reset();
    },
    forget: reset,
  };
}

function isAnswered(endResult: string): boolean {
  return endResult !== 'TIMEOUT' && endResult !== 'ENDED_ELSEWHERE';
}

/** Callback URL, if it is http(s): never a scheme that a browser executes. */
function addressOf(request: PhoneRequest): string | null {
  const address = returnTo(request);
  return address !== null && /^https?:\/\//i.test(address) ? address : null;
}

/** The service's entries, and those of this phone that are older, or so new that the service does not list them yet. */
function merged(
  past: readonly HistoryEntry[],
  own: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const known = new Set(past.map(({ sessionId }) => sessionId));
  const others = own.filter(({ sessionId }) => !known.has(sessionId));
  return [...past, ...others].sort((one, other) => (one.at < other.at ? 1 : -1));
}

function entryOf(request: PhoneRequest, endResult: string): HistoryEntry {
  const { sessionId, kind, interaction, verificationCode } = request;
  return {
    sessionId,
    kind,
    relyingPartyName: askedBy(request),
    fileName: fileNameOf(request),
    endResult,
    verificationCode,
    text: printable(interaction?.text ?? ''),
    onBehalfOf: request.onBehalfOf?.orgName ?? null,
    at: new Date().toISOString(),
  };
}
