import { expect } from 'chai';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { type Reply, route } from '../../api/http/route.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { startTestServer, until } from '../support/http/http.ts';

const MB = 1024 * 1024;
const piece = Buffer.alloc(MB);

describe('Large bodies', () => {
  let answer: () => Promise<Reply>;
  let guarded = 0;
  let lengths: number[] = [];
  let test: Awaited<ReturnType<typeof startTestServer>>;

  before(async () => {
    test = await startTestServer([
      route({
        name: 'upload',
        summary: 'Takes much',
        method: 'POST',
        path: '/upload',
        params: z.object({}),
        query: z.object({}),
        body: null,
        guardBeforeBody: true,
        maxBodyBytes: 60 * MB,
        guard: {
          description: 'whoever says so',
          check: ({ headers }) => {
            guarded += 1;
            if (headers.authorization === undefined) throw new Refusal('UNAUTHENTICATED');
            return null;
          },
        },
        handle: ({ context }) => {
          lengths.push(context.rawBody.length);
          return answer();
        },
      }),
    ]);
  });

  beforeEach(() => {
    answer = () => Promise.resolve({ status: 204 });
    guarded = 0;
    lengths = [];
  });

  after(() => test.server.stop(100));

  /** Sends pieces of one megabyte: bodies in one piece would be copied, and take gigabytes. */
  async function upload(megabytes: number, authorization?: string): Promise<IncomingMessage> {
    const call = httpRequest(`${test.origin}/upload`, {
      method: 'POST',
      headers: {
        'content-length': megabytes * MB,
        ...(authorization === undefined ? {} : { authorization }),
      },
    });
    const answered = once(call, 'response');
    // A refused body is not read to its end.
    pipeline(Readable.from(Array.from({ length: megabytes }, () => piece)), call).catch(() => null);
    const [response] = (await answered) as [IncomingMessage];
    response.resume();
    return response;
  }

  it('are read only for whom the guard lets in', async () => {
    expect((await upload(3)).statusCode).to.equal(401);
    expect((await upload(3, 'me')).statusCode).to.equal(204);
    expect([guarded, lengths]).to.deep.equal([2, [3 * MB]]);
  });

  it('are refused before a byte of them is sent, when the caller waits to be asked', async () => {
    const headers = { expect: '100-continue', 'content-length': String(3 * MB) };
    const status = await new Promise((resolve, reject) => {
      const call = httpRequest(`${test.origin}/upload`, { method: 'POST', headers });
      call.on('response', (response) => {
        resolve(response.statusCode);
        call.destroy();
      });
      call.on('continue', () => reject(new Error('It was asked for.')));
      call.on('error', () => undefined);
      call.flushHeaders();
    });
    expect(status).to.equal(401);
  });

  it('share the room there is, and give it back', async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((open) => {
      go = open;
    });
    answer = async () => {
      await gate;
      return { status: 204 };
    };
    const first = [upload(60, 'me'), upload(60, 'me')];
    await until(() => lengths.length === 2);
    const third = await upload(60, 'me');
    expect([third.statusCode, third.headers['retry-after']]).to.deep.equal([503, '1']);
    go();
    expect((await Promise.all(first)).map(({ statusCode }) => statusCode)).to.deep.equal([
      204, 204,
    ]);
    expect((await upload(60, 'me')).statusCode).to.equal(204);
  });

  it('above the limit are refused', async () => {
    expect((await upload(61, 'me')).statusCode).to.equal(413);
  });
});
