import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { networkOf } from '../../application/attempts.ts';
import { Overloaded } from '../../application/ports/faults.ts';
import type { Exchange, Step } from './exchange.ts';
import type { Route } from './route.ts';

/**
 * Sends a body piece by piece, no faster than it is read. The source is closed when the caller disconnects; when the
 * source fails the connection is cut, so that the caller notices the truncation.
 *
 * @returns true when it was sent, false when the caller disconnected
 * @throws the source's error; behind the head it can only cut the response off
 */
export async function sendStream(
  source: AsyncIterable<Uint8Array>,
  response: ServerResponse,
): Promise<boolean> {
  try {
    await pipeline(source, response);
    return true;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ERR_STREAM_DESTROYED') return false;
    throw error;
  }
}

/** Closes a source that nobody will read. */
export async function closeSource(source: AsyncIterable<Uint8Array>): Promise<void> {
  if (source instanceof Readable) source.destroy();
  else await source[Symbol.asyncIterator]().return?.();
}

/**
 * Makes the step that takes a place of the route's {@link Route.streamsAtOnce} until its last step: streamed
 * responses hold what they read from until they are read. One caller has half of the places at most.
 */
export function limitStreams({ name, streamsAtOnce: limit = 0 }: Route): Step {
  const callers: string[] = [];
  return (_request, { locals: { exchange } }, next) => {
    const caller = callerOf(exchange);
    const own = callers.filter((each) => each === caller).length;
    if (callers.length >= limit || own >= Math.ceil(limit / 2)) throw new Overloaded(name);
    callers.push(caller);
    exchange.atLast(() => callers.splice(callers.indexOf(caller), 1));
    next();
  };
}

function callerOf({ actor, ip }: Exchange): string {
  return actor === null ? networkOf(ip) : `${actor.kind} ${actor.id}`;
}
