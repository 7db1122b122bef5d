import { faultOfAddress, hrefOf } from '../../domain/relyingParty/webhooks.ts';
import type { SignalStreamChanged } from '../../domain/oidcAccess/events.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { limitReached } from '../attempts.ts';
import { pause } from '../ports/follow.ts';
import type { Clock } from '../ports/clock.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { OidcAccessLog } from '../openIdConnect/aggregates.ts';
import type { FindClient } from '../openIdConnect/servedClients.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Jobs } from '../reactors/ports/jobs.ts';
import { wake } from '../webhooks/deliverWebhooks.ts';
import type { WebhookMessage, WebhookOutbox } from '../webhooks/ports/webhooks.ts';
import {
  isHeld,
  type PushDelivery,
  queueOf,
  type SetError,
  type SignalStream,
  type SignalStreams,
  type StreamChanges,
  type StreamStatus,
} from './ports/signalStreams.ts';
import type { SignSet } from './signalChannel.ts';
import { secondsOf, type SignalContent } from './signalsOf.ts';
import { verificationType } from '../../domain/oidcClient/signals.ts';

/** Shortest time between verifications of a stream, s (SSF 1.0 §8.1.1, `min_verification_interval`). */
export const VERIFICATION_INTERVAL = 10;

/** Events in an answer to a poll at most. */
const MOST_EVENTS = 100;
/** Time that a poll waits for an event, and between looks, ms. */
const POLL_MS = 20_000;
const LOOK_MS = 1_000;
/** Polls that wait in one process at once, in all and of one stream; others are answered at once. */
const MOST_WAITING = 500;
const MOST_WAITING_OF_ONE = 4;

export interface StreamDependencies {
  readonly streams: SignalStreams;
  readonly outbox: Pick<WebhookOutbox, 'add'>;
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly findClient: FindClient;
  readonly signSet: SignSet;
  readonly accessLog: OidcAccessLog;
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, 'uuid'>;
  readonly pollMs?: number;
}

/** Settings that a client supplies (SSF 1.0 §8.1.1). */
export type StreamWish = Pick<SignalStream, 'description' | 'eventsRequested' | 'push'>;

/** Request of a client that polls (RFC 8936 §2.2). */
export interface Poll {
  readonly maxEvents: number;
  readonly returnImmediately: boolean;
  readonly taken: readonly string[];
  readonly refused: readonly SetError[];
}

export interface PollAnswer {
  /** Security event tokens by `jti`. */
  readonly sets: Readonly<Record<string, string>>;
  readonly moreAvailable: boolean;
}

/** Streams of clients, each managed by its client alone (SSF 1.0 §8). */
export function createStreamManagement({
  streams,
  outbox,
  jobs,
  findClient,
  signSet,
  accessLog,
  clock,
  randomness,
  pollMs = POLL_MS,
}: StreamDependencies) {
  /** Streams that polls wait for, each as often as they do. */
  const waiting: string[] = [];

  /** @throws Refusal NOT_FOUND, alike for a stream of another client */
  async function own(clientId: string, streamId: string): Promise<SignalStream> {
    const stream = await streams.ofClient(clientId);
    return expectOwn(stream?.streamId === streamId ? stream : null);
  }

  /** Records a change before it is made. */
  function record(
    change: SignalStreamChanged['data']['change'],
    { clientId, streamId, status, push }: SignalStream,
    context: CommandContext,
  ): Promise<void> {
    const origin = push === null ? null : new URL(push.endpointUrl).origin;
    const changedAt = clock.now().toISOString();
    const data = { clientId, streamId, change, status, origin, changedAt };
    return accessLog({ type: 'SignalStreamChanged', data }, context);
  }

  async function put(stream: SignalStream, changes: StreamChanges, context: CommandContext) {
    await record('CHANGED', { ...stream, ...changes }, context);
    const changed = expectOwn(await streams.change(stream, changes, clock.now()));
    if (!isHeld(changed)) await jobs.enqueue(wake(queueOf(changed), randomness.uuid()));
    return changed;
  }

  /** Tokens of the oldest messages; those that have nothing to tell any more are settled. */
  async function signed(stream: SignalStream, messages: readonly WebhookMessage[]) {
    const sets: Record<string, string> = {};
    const empty: string[] = [];
    const client = await findClient(stream.clientId);
    if (client === null) return sets;
    for (const message of messages) {
      const set = await signSet(stream, client, message);
      if (set === null) empty.push(message.id);
      else sets[message.id] = set;
    }
    if (empty.length > 0) await streams.acknowledge(queueOf(stream), empty, [], clock.now());
    return sets;
  }

  /** Waits until there is something, the caller is gone, or it was long enough. */
  async function untilSome(stream: SignalStream, signal: AbortSignal): Promise<void> {
    const { streamId } = stream;
    const ofOne = waiting.filter((each) => each === streamId);
    if (waiting.length >= MOST_WAITING || ofOne.length >= MOST_WAITING_OF_ONE) return;
    waiting.push(streamId);
    try {
      for (let waited = 0; waited < pollMs && !signal.aborted; waited += LOOK_MS) {
        if ((await streams.waiting(queueOf(stream), 1)).length > 0) return;
        await pause(Math.min(LOOK_MS, pollMs), signal);
      }
    } finally {
      waiting.splice(waiting.indexOf(streamId), 1);
    }
  }

  return {
    ofClient: (clientId: string) => streams.ofClient(clientId),
    own,
    /** @throws Refusal INVALID_REQUEST, CONFLICT when the client has a stream */
    async create(
      { clientId, relyingPartyId }: Pick<SignalStream, 'clientId' | 'relyingPartyId'>,
      wish: StreamWish,
      context: CommandContext,
    ): Promise<SignalStream> {
      const stream: SignalStream = {
        clientId,
        relyingPartyId,
        ...wish,
        push: checked(wish.push),
        streamId: randomness.uuid(),
        status: 'enabled',
        reason: null,
      };
      if ((await streams.ofClient(clientId)) === null) {
        await record('CREATED', stream, context);
        if (await streams.add(stream)) return stream;
      }
      throw new Refusal('CONFLICT', {
        detail: 'This client already has a stream. Change that one.',
      });
    },
    /** Changes what is named of its settings. @throws Refusal NOT_FOUND, INVALID_REQUEST */
    async change(
      clientId: string,
      streamId: string,
      wish: Partial<StreamWish>,
      context: CommandContext,
    ) {
      const { push, ...changes } = wish;
      const delivery = push === undefined ? {} : { push: checked(push) };
      return put(await own(clientId, streamId), { ...changes, ...delivery }, context);
    },
    /** @throws Refusal NOT_FOUND */
    async setStatus(
      clientId: string,
      streamId: string,
      change: { readonly status: StreamStatus; readonly reason: string | null },
      context: CommandContext,
    ) {
      return put(await own(clientId, streamId), change, context);
    },
    /** @throws Refusal NOT_FOUND */
    async remove(clientId: string, streamId: string, context: CommandContext): Promise<void> {
      const stream = await own(clientId, streamId);
      await record('DELETED', stream, context);
      await streams.remove(stream);
    },
    /** @throws Refusal NOT_FOUND, CONFLICT when as many as there may be were removed before */
    async setRemoved(clientId: string, streamId: string, sub: string, isRemoved: boolean) {
      await own(clientId, streamId);
      if (await streams.setRemoved(streamId, sub, isRemoved)) return;
      throw new Refusal('CONFLICT', {
        detail: 'No more citizens can be removed from this stream.',
      });
    },
    /** Sends a verification event (SSF 1.0 §8.1.4). @throws Refusal NOT_FOUND, RATE_LIMITED */
    async verify(clientId: string, streamId: string, state: string | null): Promise<void> {
      const stream = await own(clientId, streamId);
      const now = clock.now();
      const after = new Date(now.getTime() - VERIFICATION_INTERVAL * 1000);
      if (!(await streams.admitVerification(streamId, now, after))) {
        const what = 'A stream can be verified only once per min_verification_interval.';
        throw limitReached({ what, setting: null }, VERIFICATION_INTERVAL, now);
      }
      if (stream.status === 'disabled') return;
      const id = randomness.uuid();
      const content: SignalContent = {
        iat: secondsOf(now),
        txn: id,
        event: state === null ? {} : { state },
      };
      const message: WebhookMessage = {
        ...queueOf(stream),
        id: `set_${id}`,
        subject: streamId,
        type: verificationType,
        body: JSON.stringify(content),
      };
      await outbox.add([message], now);
      await jobs.enqueue(wake(message, message.id));
    },
    /** Settles what the client received and answers what waits (RFC 8936 §2). @throws Refusal NOT_FOUND */
    async poll(
      clientId: string,
      streamId: string,
      { maxEvents, returnImmediately, taken, refused }: Poll,
      signal: AbortSignal,
    ): Promise<PollAnswer> {
      const stream = await own(clientId, streamId);
      if (stream.push !== null) {
        throw new Refusal('NOT_FOUND', { detail: 'The events of this stream are pushed.' });
      }
      const queue = queueOf(stream);
      await streams.acknowledge(queue, taken, refused, clock.now());
      if (stream.status !== 'enabled') return { sets: {}, moreAvailable: false };
      const most = Math.min(maxEvents, MOST_EVENTS);
      if (most > 0 && !returnImmediately) await untilSome(stream, signal);
      const found = await streams.waiting(queue, most + 1);
      const sets = await signed(stream, found.slice(0, most));
      return { sets, moreAvailable: found.length > most };
    },
  };
}

export type StreamManagement = ReturnType<typeof createStreamManagement>;

/** @throws Refusal NOT_FOUND, alike for a stream of another client */
function expectOwn(stream: SignalStream | null): SignalStream {
  if (stream !== null) return stream;
  throw new Refusal('NOT_FOUND', { detail: 'This client has no stream with this stream_id.' });
}

/** Refuses an address of push that nothing could be sent to. @throws Refusal INVALID_REQUEST */
function checked(push: PushDelivery | null): PushDelivery | null {
  if (push === null) return null;
  const detail = faultOfAddress(push.endpointUrl);
  if (detail !== null) {
    const errors = [{ pointer: '/delivery/endpoint_url', detail }];
    throw new Refusal('INVALID_REQUEST', { errors });
  }
  return { ...push, endpointUrl: hrefOf(push.endpointUrl) };
}
