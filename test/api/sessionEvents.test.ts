import { expect } from 'chai';
import type { ApiServer } from '../../api/server.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { startTestServer } from '../support/http/http.ts';
import {
  authenticationBody,
  civilId,
  relyingPartyWorld,
  type WorldOptions,
} from '../support/worlds/relyingPartyWorld.ts';

describe('The events of a session (GET /v3/session/{id}/events)', () => {
  const servers: ApiServer[] = [];
  const ends: AbortController[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0)) end.abort();
    await Promise.all(servers.splice(0).map((server) => server.stop(100)));
  });

  async function running(options: WorldOptions = {}) {
    const world = relyingPartyWorld(options);
    const party = world.addRelyingParty();
    const { origin, server } = await startTestServer(world.routes);
    servers.push(server);
    const headersOf = (secret: string) => ({
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
    });
    const started = await fetch(`${origin}/v3/authentication/notification/etsi/PNOMN-${civilId}`, {
      method: 'POST',
      headers: headersOf(party.secret),
      body: JSON.stringify(authenticationBody(party.relyingPartyId)),
    });
    const { sessionID } = (await started.json()) as { readonly sessionID: string };
    const path = `${origin}/v3/session/${sessionID}`;

    /** Opens the stream. */
    async function follow(more: Record<string, string> = {}, secret = party.secret) {
      const end = new AbortController();
      ends.push(end);
      const headers = { ...headersOf(secret), ...more };
      const response = await fetch(`${path}/events`, { headers, signal: end.signal });
      return { response, close: () => end.abort() };
    }
    const poll = async () => {
      const answer = await fetch(path, { headers: headersOf(party.secret) });
      return (await answer.json()) as object;
    };
    return { world, server, sessionID, follow, poll, confirm: () => world.confirm(sessionID) };
  }

  /** Pieces of a stream as they arrive, told apart by empty lines. */
  async function* piecesOf(response: Response): AsyncGenerator<string, void> {
    let rest = '';
    const text = response.body?.pipeThrough(new TextDecoderStream());
    for await (const chunk of text as unknown as AsyncIterable<string>) {
      const pieces = (rest + chunk).split('\n\n');
      rest = pieces.pop() ?? '';
      yield* pieces;
    }
    expect(rest).to.equal('');
  }

  const fieldsOf = (piece: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      piece.split('\n').map((line): [string, string] => {
        const [name = '', value = ''] = line.split(/: (.*)/s);
        return [name, value];
      }),
    );

  async function next(pieces: AsyncGenerator<string, void>): Promise<string | undefined> {
    const piece: IteratorResult<string, void> = await pieces.next();
    return piece.done === true ? undefined : piece.value;
  }

  it('are its present state, then its outcome as the long poll answers it, then the end', async () => {
    const { follow, confirm, poll } = await running();
    const { response } = await follow();
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).to.equal('no-store, no-transform');
    const pieces = piecesOf(response);
    const first = fieldsOf((await next(pieces)) ?? '');
    expect(first).to.include({ event: 'session', data: '{"state":"RUNNING"}' });
    await confirm();
    const last = fieldsOf((await next(pieces)) ?? '');
    expect(JSON.parse(String(last['data']))).to.deep.equal(await poll());
    expect(last['id']).to.be.a('string').and.not.equal(first['id']);
    expect(await next(pieces)).to.equal(undefined);
  });

  it('tell a client that reconnects what it has not seen, and one that has seen the end to stay away', async () => {
    const { follow, confirm } = await running();
    const opened = await follow();
    const { id: seen } = fieldsOf((await next(piecesOf(opened.response))) ?? '');
    opened.close();
    const again = piecesOf((await follow({ 'last-event-id': String(seen) })).response);
    expect(await next(again)).to.equal(':');
    await confirm();
    const { id: end, data } = fieldsOf((await next(again)) ?? '');
    expect(data).to.include('COMPLETE');
    const late = piecesOf((await follow({ 'last-event-id': String(seen) })).response);
    expect(fieldsOf((await next(late)) ?? '')['id']).to.equal(end);
    const { response } = await follow({ 'last-event-id': String(end) });
    expect([response.status, await response.text()]).to.deep.equal([204, '']);
  });

  it('show signs of life while nothing happens', async () => {
    const { follow, confirm } = await running({ heartbeatMs: 5 });
    const pieces = piecesOf((await follow()).response);
    await next(pieces);
    expect([await next(pieces), await next(pieces)]).to.deep.equal([':', ':']);
    await confirm();
    let piece = await next(pieces);
    while (piece === ':') piece = await next(pieces);
    expect(piece).to.include('COMPLETE');
  });

  it('end when the session is not readable any longer, without a failure', async () => {
    const { follow, world } = await running({ heartbeatMs: 5 });
    const pieces = piecesOf((await follow()).response);
    await next(pieces);
    world.clock.advance(600_000);
    let piece = await next(pieces);
    while (piece === ':') piece = await next(pieces);
    expect(piece).to.equal(undefined);
  });

  it('are refused for the session of another relying party, and without a secret', async () => {
    const { follow, world } = await running();
    const { secret } = world.addRelyingParty();
    expect((await follow({}, secret)).response.status).to.equal(404);
    expect((await follow({}, 'rp_sk_wrong')).response.status).to.equal(401);
  });

  it('end when the server stops, and let it stop at once', async () => {
    const { follow, server, world } = await running();
    const pieces = piecesOf((await follow()).response);
    await next(pieces);
    await eventually(() => expect(world.notifications.waiting()).to.equal(1));
    await server.stop(60_000);
    expect(await next(pieces)).to.equal(undefined);
    expect(world.notifications.waiting()).to.equal(0);
  });

  it('leave nothing behind when the client goes', async () => {
    const { follow, world } = await running();
    const { response, close } = await follow();
    await next(piecesOf(response));
    await eventually(() => expect(world.notifications.waiting()).to.equal(1));
    close();
    await eventually(() => expect(world.notifications.waiting()).to.equal(0));
  });
});
