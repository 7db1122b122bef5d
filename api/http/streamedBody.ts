import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Outcome of a streamed response; a failure after the head can only cut it off. */
export type StreamEnd = { readonly how: 'sent' | 'callerGone' } | { readonly cause: unknown };

/**
 * Sends a body piece by piece, no faster than it is read. The source is closed when the caller
 * disconnects; when the source fails the connection is cut, so that the caller notices the
 * truncation.
 */
export async function sendStream(
  source: AsyncIterable<Uint8Array>,
  response: ServerResponse,
): Promise<StreamEnd> {
  try {
    await pipeline(source, response);
    return { how: 'sent' };
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const isCallerGone = code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ERR_STREAM_DESTROYED';
    return isCallerGone ? { how: 'callerGone' } : { cause: error };
  }
}

/** Closes a source that nobody will read. */
export async function closeSource(source: AsyncIterable<Uint8Array>): Promise<void> {
  if (source instanceof Readable) source.destroy();
  else await source[Symbol.asyncIterator]().return?.();
}
