import { randomBytes } from 'node:crypto';
import type { Response } from 'express';
import type { DeviceLinkSession, NotificationSession } from '@tamga/client';
import { type Failure, type FailureKind, failureOf } from '../failures.ts';
import type { BankSettings } from '../settings.ts';
import type { Channel, Pending } from '../visitors.ts';
import { type Bank, visitorOf } from './exchange.ts';

/** Callback URL of the app, and the `state` that identifies the browser. */
export interface Return {
  readonly state: string;
  readonly callbackUrl: string;
}

/** Starts a session; `back` only for the channel `app`. */
export type Start = (back: Return | null) => Promise<NotificationSession | DeviceLinkSession>;

/** A session to start. */
export interface Beginning extends Pick<Pending, 'channel' | 'purpose'> {
  /** Path that a failure is shown on; default: a page of its own. */
  readonly shownOn?: (failure: Failure) => string;
}

/** Starts a session, remembers it for the visitor, and sends the browser to wait. */
export async function begin(
  { settings }: Bank,
  response: Response,
  { channel, purpose, shownOn = () => '/failure' }: Beginning,
  start: Start,
): Promise<void> {
  const visitor = visitorOf(response);
  const back = channel === 'app' ? newReturn(settings) : null;
  visitor.steps = [];
  delete visitor.pending;
  try {
    const session = await start(back);
    visitor.pending = {
      channel,
      purpose,
      session,
      startedAt: Date.now(),
      state: back?.state ?? null,
      code: typeof session.vc === 'string' ? session.vc : session.vc.value,
    };
    response.redirect(303, `${settings.base}/wait`);
  } catch (error) {
    response.redirect(303, `${settings.base}${shownOn(fail(response, error))}`);
  }
}

/**
 * Stores the reason of a failure for the next page. Logs failures that are not the citizen's own
 * answer.
 */
export function fail(response: Response, error: unknown): Failure {
  const failure = failureOf(error);
  visitorOf(response).failure = failure;
  if (failure.kind === 'unexpected') console.error(error);
  else if (suspicious.includes(failure.kind)) console.error(String(error));
  return failure;
}

/** Failures that indicate an attack; logged as warnings. */
const suspicious: readonly FailureKind[] = ['notBelieved', 'wrongBrowser'];

export function channelNamed(name: unknown): Channel | null {
  return (['push', 'qr', 'app'] as const).find((channel) => channel === name) ?? null;
}

function newReturn({ origin }: BankSettings): Return {
  const state = randomBytes(16).toString('base64url');
  return { state, callbackUrl: `${origin}/auth/eid/callback?state=${state}` };
}
