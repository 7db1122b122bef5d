import { setTimeout as pause } from 'node:timers/promises';
import type { Phone } from './phone.ts';
import { ServiceError } from './service.ts';
import { type PhoneReason, type PhoneRequest, returnTo } from './session.ts';

/** What a scripted citizen always does. `TIMEOUT`: nothing at all. */
export type ScriptedOutcome = 'OK' | 'TIMEOUT' | PhoneReason;

export interface ScriptedPhone {
  readonly phone: Phone;
  readonly pin1: string;
  readonly pin2: string;
  readonly outcome: ScriptedOutcome;
}

/** What happened on a scripted phone, for whoever watches. */
export type ScriptedEvent =
  | { readonly type: 'answered'; readonly request: PhoneRequest; readonly endResult: string }
  | { readonly type: 'ignored'; readonly request: PhoneRequest }
  | { readonly type: 'trouble'; readonly code: string };

export interface ScriptedPhones {
  /** Resolves when every phone has put down what it was doing. */
  stop(): Promise<void>;
}

const LEAST_BACK_OFF = 200;
const MOST_BACK_OFF = 5_000;
/** Sessions told to the service so that an ignored one does not come again; it takes 20 at most. */
const TOLD = 20;
/** Sessions remembered, for when more are ignored than the service can be told. */
const REMEMBERED = 1_000;
const NOTHING_NEW_PAUSE = 1_000;

/** Answers one session the way this citizen always does. @returns its end result, or null when it is left to time out */
export async function answerAsScripted(
  { phone, pin1, pin2, outcome }: ScriptedPhone,
  request: PhoneRequest,
): Promise<string | null> {
  if (request.kind === 'CERTIFICATE_CHOICE') return answerChoice(phone, outcome, request);
  const pin = request.pin === 'PIN1' ? pin1 : pin2;
  if (outcome !== 'TIMEOUT' && request.interaction === null) {
    return phone.refuse(request.sessionId, 'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP');
  }
  switch (outcome) {
    case 'TIMEOUT':
      return null;
    case 'OK':
      return phone.confirm(request, pin);
    case 'WRONG_VC':
      return phone.confirmWithWrongCode(request, pin);
    default:
      return phone.refuse(request.sessionId, outcome, request.interaction?.type);
  }
}

function answerChoice(
  phone: Phone,
  outcome: ScriptedOutcome,
  request: PhoneRequest,
): Promise<string | null> {
  if (outcome === 'TIMEOUT') return Promise.resolve(null);
  return outcome === 'OK'
    ? phone.giveCertificate(request)
    : phone.refuse(request.sessionId, outcome);
}

/** What came of a link that a scripted citizen opened. */
export interface OpenedLink {
  readonly request: PhoneRequest;
  /** Null: it is left to time out. */
  readonly endResult: string | null;
  /** Where the citizen returns to with the answer; null: nowhere. */
  readonly returnTo: string | null;
}

/** Opens a link of any form and answers it the way this citizen always does. @throws LinkError, ServiceError */
export async function openAsScripted(scripted: ScriptedPhone, link: string): Promise<OpenedLink> {
  const request = await scripted.phone.open(link);
  const endResult = await answerAsScripted(scripted, request);
  return { request, endResult, returnTo: endResult === null ? null : returnTo(request) };
}

/** Lets enrolled phones wait for sessions and answer them by themselves, until stopped; outages are waited out. */
export function startScriptedPhones(
  phones: readonly ScriptedPhone[],
  onEvent: (phone: ScriptedPhone, event: ScriptedEvent) => void = () => undefined,
): ScriptedPhones {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function live(scripted: ScriptedPhone): Promise<void> {
    const done: string[] = [];
    let backOff = LEAST_BACK_OFF;
    while (!signal.aborted) {
      try {
        await answerInbox(scripted, done);
        backOff = LEAST_BACK_OFF;
      } catch (error) {
        if (isAborted(signal)) return;
        onEvent(scripted, { type: 'trouble', code: codeOf(error) });
        await pause(backOff, undefined, { signal }).catch(() => undefined);
        backOff = Math.min(backOff * 2, MOST_BACK_OFF);
      }
    }
  }

  async function answerInbox(scripted: ScriptedPhone, done: string[]): Promise<void> {
    const listed = await scripted.phone.inbox({ seen: done.slice(-TOLD), signal });
    const unknown = listed.filter((sessionId) => !done.includes(sessionId));
    if (unknown.length === 0 && listed.length > 0) {
      await pause(NOTHING_NEW_PAUSE, undefined, { signal });
    }
    for (const sessionId of unknown) {
      onEvent(scripted, await answer(scripted, sessionId));
      done.push(sessionId);
      if (done.length > REMEMBERED) done.shift();
    }
  }

  /** One session that cannot be answered (any more) does not keep the phone from the next. */
  async function answer(scripted: ScriptedPhone, sessionId: string): Promise<ScriptedEvent> {
    try {
      const request = await scripted.phone.open(sessionId);
      const endResult = await answerAsScripted(scripted, request);
      return endResult === null
        ? { type: 'ignored', request }
        : { type: 'answered', request, endResult };
    } catch (error) {
      if (!isFinal(error)) throw error;
      return { type: 'trouble', code: codeOf(error) };
    }
  }

  const lives = phones.map(live);
  return {
    async stop() {
      stopping.abort();
      await Promise.all(lives);
    },
  };
}

/** The compiler believes a signal it saw unaborted stays so. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function isFinal(error: unknown): boolean {
  return (
    error instanceof ServiceError &&
    error.status >= 400 &&
    error.status < 500 &&
    error.code.startsWith('SESSION_')
  );
}

function codeOf(error: unknown): string {
  return error instanceof ServiceError ? error.code : 'UNEXPECTED';
}
