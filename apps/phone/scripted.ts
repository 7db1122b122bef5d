import { setTimeout as pause } from 'node:timers/promises';
import { asksForCodeChoice } from './interactions.ts';
import type { Phone } from './phone.ts';
import { ServiceError } from './service.ts';
import type { PhoneReason, PhoneRequest } from './session.ts';

/** Fixed behaviour of a scripted citizen. `TIMEOUT`: no answer. */
export type ScriptedOutcome = 'OK' | 'TIMEOUT' | PhoneReason;

export interface ScriptedPhone {
  readonly phone: Phone;
  readonly pin1: string;
  readonly pin2: string;
  readonly outcome: ScriptedOutcome;
  /** True: agrees to tell the signals that a relying party asks for; default false. */
  readonly tells?: boolean;
}

/** Event of a scripted phone, for observers. */
export type ScriptedEvent =
  | { readonly type: 'answered'; readonly request: PhoneRequest; readonly endResult: string }
  | { readonly type: 'ignored'; readonly request: PhoneRequest }
  | { readonly type: 'trouble'; readonly code: string };

export interface ScriptedPhones {
  /** Resolves when every phone has finished its current session. */
  stop(): Promise<void>;
}

/** Habits of scripted phones. */
export interface ScriptedHabits {
  /** Time taken over a login whose code is chosen among others, ms, so that a person sees the page with it; default 0. */
  readonly lookingMs?: number;
}

const MIN_BACK_OFF = 200;
const MAX_BACK_OFF = 5_000;
/** Ignored sessions reported to the service so that it does not deliver them again; at most 20. */
const MAX_SEEN = 20;
/** Ignored sessions remembered beyond those the service can be told. */
const REMEMBERED = 1_000;
const NOTHING_NEW_PAUSE = 1_000;

/**
 * Answers a session with the scripted behaviour. @returns its end result, or null when it is left
 * to time out
 */
export async function answerAsScripted(
  { phone, pin1, pin2, outcome, tells = false }: ScriptedPhone,
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
      return phone.confirm(request, pin, tells);
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

/**
 * Lets enrolled phones poll for sessions and answer them automatically, until stopped; retries
 * after outages.
 */
export function startScriptedPhones(
  phones: readonly ScriptedPhone[],
  onEvent: (phone: ScriptedPhone, event: ScriptedEvent) => void = () => undefined,
  { lookingMs = 0 }: ScriptedHabits = {},
): ScriptedPhones {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function live(scripted: ScriptedPhone): Promise<void> {
    const done: string[] = [];
    let backOff = MIN_BACK_OFF;
    while (!signal.aborted) {
      try {
        await answerInbox(scripted, done);
        backOff = MIN_BACK_OFF;
      } catch (error) {
        if (stopping.signal.aborted) return;
        onEvent(scripted, { type: 'trouble', code: codeOf(error) });
        await pause(backOff, undefined, { signal }).catch(() => undefined);
        backOff = Math.min(backOff * 2, MAX_BACK_OFF);
      }
    }
  }

  async function answerInbox(scripted: ScriptedPhone, done: string[]): Promise<void> {
    const listed = await scripted.phone.inbox({ seen: done.slice(-MAX_SEEN), signal });
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

  /** Answers a session; a failure does not stop the phone. */
  async function answer(scripted: ScriptedPhone, sessionId: string): Promise<ScriptedEvent> {
    try {
      const request = await scripted.phone.open(sessionId);
      if (lookingMs > 0 && asksForCodeChoice(request.interaction)) {
        await pause(lookingMs, undefined, { signal });
      }
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
