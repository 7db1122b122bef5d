import { deepStrictEqual } from 'node:assert/strict';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { z } from 'zod';
import type { Reply, Route } from '../../../api/http/route.ts';

/**
 * Rows that fail when they answer anything but what they say they answer: a status, a media type or a member that their
 * `response` does not name.
 */
export function withCheckedAnswers(routes: readonly Route[]): readonly Route[] {
  return routes.map((row) => ({
    ...row,
    handle: async (request) => {
      const reply = await row.handle(request);
      checkAnswer(row, reply);
      return reply;
    },
  }));
}

/** @throws Error that names the row */
export function checkAnswer({ name, response }: Route, reply: Reply): void {
  const { status = 200, contentType } = reply;
  const body = decoded(reply);
  const shape = response?.[status];
  if (shape === undefined) {
    // Documentation leaves out 304 and refusals by the route itself.
    if (status === 304 || status >= 400) return;
    throw new Error(`${name} does not say that it answers ${status}.`);
  }
  if (shape === null) {
    if (body !== undefined) throw new Error(`${name} says that it answers no body.`);
  } else if (typeof shape === 'string') {
    if (!isOfType(contentType ?? '', shape)) throw new Error(`${name} does not answer ${shape}.`);
  } else {
    checkJson(name, shape, body ?? null);
  }
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

/** The body before its content coding (RFC 9110 §8.4). */
function decoded({ body, headers }: Reply): Reply['body'] {
  const decode = decoders[headers?.['content-encoding'] ?? ''];
  return decode !== undefined && Buffer.isBuffer(body) ? decode(body) : body;
}

function isOfType(sent: string, said: string): boolean {
  return said === '*/*' || sent.split(';')[0] === said.split(';')[0];
}

function checkJson(name: string, schema: z.ZodType, body: object | Buffer | null): void {
  const sent: unknown = JSON.parse(Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body));
  const parsed = schema.safeParse(sent);
  if (!parsed.success) throw new Error(`${name}: ${parsed.error.message}`);
  // Objects drop what they do not name.
  deepStrictEqual(parsed.data, sent, `${name} answers more than it says.`);
}
