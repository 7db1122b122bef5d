import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import {
  ApiError,
  EidClient,
  type FollowOptions,
  NetworkError,
  type SessionApi,
} from '../../client/index.ts';
import { rejection } from '../support/assertions/rejection.ts';

const running = 'id: a\nevent: session\ndata: {"state":"RUNNING"}\n\n';
const complete =
  'id: b\nevent: session\ndata: {"state":"COMPLETE","result":{"endResult":"TIMEOUT"}}\n\n';

describe('session.follow', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** A service that answers requests one after another so, and the `Last-Event-ID` of each. */
  async function service(...answers: readonly ((response: ServerResponse) => void)[]) {
    const seen: (string | undefined)[] = [];
    const paths: (string | undefined)[] = [];
    const server = createServer(({ headers, url }, response) => {
      paths.push(url);
      const answer = answers[seen.length] ?? ((each: ServerResponse) => each.destroy());
      seen.push(headers['last-event-id'] as string | undefined);
      answer(response);
    });
    servers.push(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const client = new EidClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      credentials: { rpUUID: 'u1', rpName: 'DEMO', apiSecret: 'rp_sk_secret' },
    });
    return { session: client.session, seen, paths };
  }

  const events =
    (...pieces: readonly string[]) =>
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of pieces) response.write(piece);
      response.end();
    };
  const problem = (status: number) => (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ code: 'SESSION_NOT_FOUND', status }));
  };

  const json = (body: object) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

  /** States that a client is told of. */
  async function all(follow: SessionApi['follow'], options: FollowOptions = {}) {
    const states: string[] = [];
    const last = await follow('s1', { ...options, onChange: ({ state }) => states.push(state) });
    expect(last.state).to.equal(states.at(-1));
    return states;
  }

  it('tells of each change and ends with the outcome, however the bytes come', async () => {
    const { session } = await service(
      events(':\n\n', running.slice(0, 9), running.slice(9), `:\n\n${complete}`),
    );
    expect(await all(session.follow)).to.deep.equal(['RUNNING', 'COMPLETE']);
  });

  it('takes up a lost connection where it was', async () => {
    const { session, seen } = await service(
      events(running),
      (response) => response.destroy(),
      events(complete),
    );
    expect(await all(session.follow)).to.deep.equal(['RUNNING', 'COMPLETE']);
    expect(seen).to.deep.equal([undefined, 'a', 'a']);
  });

  it('polls when the streams are full, and tells of each change once', async () => {
    const { session, paths } = await service(
      events(running),
      problem(503),
      json({ state: 'RUNNING' }),
      problem(503),
      json({ state: 'COMPLETE', result: { endResult: 'TIMEOUT' } }),
    );
    expect(await all(session.follow)).to.deep.equal(['RUNNING', 'COMPLETE']);
    expect(paths.map((path) => path?.split('?')[0])).to.deep.equal([
      '/v3/session/s1/events',
      '/v3/session/s1/events',
      '/v3/session/s1',
      '/v3/session/s1',
      '/v3/session/s1',
    ]);
  });

  it('polls when no stream comes through', async () => {
    const cut = (response: ServerResponse) => response.destroy();
    const outcome = json({ state: 'COMPLETE', result: { endResult: 'TIMEOUT' } });
    const { session, paths } = await service(cut, cut, outcome);
    expect(await all(session.follow)).to.deep.equal(['COMPLETE']);
    expect(paths[2]).to.match(/^\/v3\/session\/s1\?timeoutMs=30000$/);
  });

  it('ends at the deadline while it polls', async () => {
    const still = json({ state: 'RUNNING' });
    const { session } = await service(problem(503), still, still, still);
    expect(await all(session.follow, { maxWaitMs: 900 })).to.deep.equal(['RUNNING']);
  });

  it('fails with the refusal of the service', async () => {
    const { session } = await service(problem(404));
    const error = await rejection(all(session.follow));
    expect(error).to.be.instanceOf(ApiError).and.include({ status: 404 });
  });

  it('ends at the deadline, and fails there when nothing was ever received', async () => {
    const silent = (response: ServerResponse) => {
      response.writeHead(200);
      response.write(running);
    };
    const { session } = await service(silent);
    expect(await all(session.follow, { maxWaitMs: 50 })).to.deep.equal(['RUNNING']);
    const { session: away } = await service();
    const error = await rejection(all(away.follow, { maxWaitMs: 50 }));
    expect(error).to.be.instanceOf(NetworkError);
  });

  it('ends when the caller does not want it any more', async () => {
    const { session } = await service((response) => {
      response.writeHead(200);
      response.write(running);
    });
    const end = new AbortController();
    const reason = new Error('enough');
    const onChange = () => end.abort(reason);
    const followed = session.follow('s1', { signal: end.signal, onChange });
    expect(await rejection(followed)).to.equal(reason);
  });

  it('does not wait for an event without an end', async () => {
    const { session } = await service((response) => {
      response.writeHead(200);
      response.write(running);
      response.write(`data: ${'x'.repeat(2 * 1024 * 1024)}`);
    }, events(complete));
    expect(await all(session.follow)).to.deep.equal(['RUNNING', 'COMPLETE']);
  });
});
