import { expect } from 'chai';
import { anyone } from '../../api/http/handling.ts';
import { type Route, route } from '../../api/http/route.ts';
import type { ApiServer } from '../../api/server.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { startTestServer } from '../support/http/http.ts';

describe('N5: Streamed answers', () => {
  const servers: ApiServer[] = [];
  const ends: AbortController[] = [];
  /** Answers not read to their end: what nothing refers to is cancelled. */
  const unread: Response[] = [];
  let opened = 0;

  /** Bytes without an end, given while they are read. */
  function endless(): AsyncIterable<Uint8Array> {
    opened += 1;
    return (async function* () {
      for (;;) {
        yield Buffer.alloc(64 * 1024);
        await new Promise(setImmediate);
      }
    })();
  }

  const streaming = (more: Partial<Route>) =>
    route({
      name: 'export',
      summary: 'For tests.',
      method: 'GET',
      path: '/export',
      guard: {
        ...anyone,
        check: ({ headers }) => headers.authorization ?? '',
        actorOf: (id) => ({ kind: 'relyingParty', id: String(id) }),
      },
      handle: () => ({ stream: endless() }),
      ...more,
    });

  async function serve(more: Partial<Route>) {
    const started = await startTestServer([streaming(more)]);
    servers.push(started.server);
    /** Begins to read, and stops. */
    return async (caller: string) => {
      const end = new AbortController();
      ends.push(end);
      const headers = { authorization: caller };
      const response = await fetch(`${started.origin}/export`, { headers, signal: end.signal });
      unread.push(response);
      return response;
    };
  }

  beforeEach(() => (opened = 0));

  afterEach(async () => {
    for (const end of ends.splice(0)) end.abort();
    unread.length = 0;
    await Promise.all(servers.splice(0).map((server) => server.stop(100)));
  });

  it('are so many at once, half of them for one caller, and give their places back', async () => {
    const ask = await serve({ streamsAtOnce: 4 });
    const status = async (caller: string) => (await ask(caller)).status;
    expect(await status('one')).to.equal(200);
    expect(await status('one')).to.equal(200);
    const third = await ask('one');
    expect([third.status, third.headers.get('retry-after')]).to.deep.equal([503, '1']);
    expect([await status('two'), await status('three')]).to.deep.equal([200, 200]);
    expect(await status('four')).to.equal(503);
    expect(opened).to.equal(4);
    for (const end of ends.splice(0)) end.abort();
    await eventually(async () => expect(await status('four')).to.equal(200));
  });

  it('are not given without a bound', async () => {
    const ask = await serve({});
    expect((await ask('one')).status).to.equal(500);
  });
});
