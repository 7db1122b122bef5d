import { expect } from 'chai';
import type { OidcRecord, OidcState } from '../../application/openIdConnect/ports/oidcState.ts';

const now = new Date('2026-01-01T00:00:00.000Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

const record = (id: string, more: Partial<OidcRecord> = {}): OidcRecord => ({
  kind: 'RefreshToken',
  id,
  payload: { jti: id },
  civilId: '110000000001',
  clientId: 'a client',
  grantId: 'a grant',
  uid: null,
  expiresAt: later(60),
  ...more,
});

/** Contract of every store of the provider's state. @param open returns an empty store */
export function oidcStateContract(open: () => Promise<OidcState>): void {
  let state: OidcState;

  beforeEach(async () => {
    state = await open();
  });

  it('finds stored and changed state until it expires', async () => {
    await state.put(record('one'));
    await state.put(record('one', { payload: { jti: 'one', scope: 'openid' } }));
    expect(await state.find('RefreshToken', 'one', now)).to.deep.equal({
      payload: { jti: 'one', scope: 'openid' },
      consumedAt: null,
      grant: null,
      session: null,
    });
    expect(await state.find('AccessToken', 'one', now)).to.equal(null);
    expect(await state.find('RefreshToken', 'one', later(60))).to.equal(null);
  });

  it('answers looks of one moment each by what it looked for', async () => {
    await state.put(record('one'), record('two'));
    const looks = await Promise.all([
      state.find('AccessToken', 'one', now),
      state.find('RefreshToken', 'two', now),
      state.find('RefreshToken', 'one', later(60)),
      state.find('RefreshToken', 'one', now),
      state.find('RefreshToken', 'two', now),
    ]);
    expect(looks.map((found) => found?.payload['jti'])).to.deep.equal([
      ...[undefined, 'two', undefined, 'one', 'two'],
    ]);
  });

  it('finds by the second identifier', async () => {
    await state.put(record('cookie', { kind: 'Session', uid: 'uid', grantId: null }));
    expect((await state.findByUid('Session', 'uid', now))?.payload).to.deep.equal({
      jti: 'cookie',
    });
    expect(await state.findByUid('Session', 'cookie', now)).to.equal(null);
  });

  it('loses nothing of what several change at once, under whichever identifier', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const joined = (kept: readonly object[], more = {}) =>
      Object.assign({}, ...kept, more) as OidcRecord['payload'];
    const session = (id: string, seconds: number) => ({
      ...record(id, { kind: 'Session', expiresAt: later(seconds) }),
      uid: 'uid',
    });
    await Promise.all(
      names.map((name, at) =>
        state.putShared(
          session(`cookie ${at % 2}`, 60 + at),
          (kept) => joined(kept, { [name]: true }),
          record(name),
        ),
      ),
    );
    await state.putShared(session('cookie 2', 90), (kept) => joined(kept));
    const found = await state.findByUid('Session', 'uid', now);
    expect(Object.keys(found?.payload ?? {}).sort()).to.deep.equal(names);
    expect(await state.findByUid('Session', 'uid', later(75))).not.to.equal(null);
    expect(await state.find('RefreshToken', 'a', now)).not.to.equal(null);
  });

  it('loses nothing of what several change at once of one that is there', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const session = { ...record('cookie', { kind: 'Session', payload: {} }), uid: 'uid' };
    await state.put(session);
    await Promise.all(
      names.map((name) =>
        state.putShared(
          session,
          (kept) => Object.assign({}, ...kept, { [name]: true }) as OidcRecord['payload'],
          record(name),
        ),
      ),
    );
    const found = await state.findByUid('Session', 'uid', now);
    expect(Object.keys(found?.payload ?? {}).sort()).to.deep.equal(names);
    const made = await Promise.all(names.map((name) => state.find('RefreshToken', name, now)));
    expect(made).not.to.include(null);
  });

  it('is left unwritten beside others, and removed under every identifier', async () => {
    const session = (id: string) => ({
      ...record(id, { kind: 'Session', grantId: null }),
      uid: 'uid',
    });
    await state.putShared(session('cookie'), () => null, record('one'));
    expect(await state.findByUid('Session', 'uid', now)).to.equal(null);
    expect(await state.find('RefreshToken', 'one', now)).not.to.equal(null);
    await state.put(session('cookie'));
    await state.putShared(session('cookie'), () => null, record('two'));
    expect(await state.find('RefreshToken', 'two', now)).not.to.equal(null);
    await state.put(session('another cookie'), record('three', { uid: 'uid' }));
    await state.removeShared('Session', 'uid');
    expect(await state.findByUid('Session', 'uid', now)).to.equal(null);
    expect(await state.find('RefreshToken', 'three', now)).not.to.equal(null);
  });

  it('is used up by one of several at once', async () => {
    await state.put(record('one'));
    const tries = Array.from({ length: 5 }, () => state.consume('RefreshToken', 'one', now));
    expect((await Promise.all(tries)).filter(Boolean)).to.have.length(1);
    expect((await state.find('RefreshToken', 'one', now))?.consumedAt).to.deep.equal(now);
    expect(await state.consume('RefreshToken', 'none', now)).to.equal(false);
  });

  it('is used up together with what is made of it, or neither', async () => {
    await state.put(record('one'));
    const exchange = (name: string) =>
      state.consume(
        'RefreshToken',
        'one',
        now,
        record(`refresh ${name}`),
        record(`access ${name}`, { kind: 'AccessToken' }),
      );
    const names = ['first', 'second', 'third'];
    const wins = await Promise.all(names.map(exchange));
    for (const [index, name] of names.entries()) {
      const made = [
        await state.find('RefreshToken', `refresh ${name}`, now),
        await state.find('AccessToken', `access ${name}`, now),
      ];
      expect(made.map((each) => each !== null)).to.deep.equal([wins[index], wins[index]]);
    }
    expect(wins.filter(Boolean)).to.have.length(1);
  });

  it('is found beside its grant, unless that is over or gone', async () => {
    const grantOf = async (at: Date) => (await state.find('RefreshToken', 'one', at))?.grant;
    await state.put(
      record('one', { expiresAt: later(120) }),
      record('a grant', { kind: 'Grant', payload: { scope: 'openid' } }),
    );
    expect(await grantOf(now)).to.deep.equal({ scope: 'openid' });
    expect(await grantOf(later(60))).to.equal(null);
    expect((await state.find('Grant', 'a grant', now))?.grant).to.equal(null);
    await state.remove('Grant', 'a grant');
    expect(await grantOf(now)).to.equal(null);
  });

  it('is found beside the session it ends with, unless that is over or gone', async () => {
    const sessionOf = async (at: Date) => (await state.find('RefreshToken', 'one', at))?.session;
    const session = record('cookie', { kind: 'Session', uid: 'uid', payload: { jti: 'cookie' } });
    await state.put(record('one', { uid: 'uid', expiresAt: later(120) }), session);
    expect(await sessionOf(now)).to.deep.equal({ jti: 'cookie' });
    expect(await sessionOf(later(60))).to.equal(null);
    expect((await state.findByUid('Session', 'uid', now))?.session).to.equal(null);
    await state.remove('Session', 'cookie');
    expect(await sessionOf(now)).to.equal(null);
  });

  it('is claimed by one of several at once, again once the claim is over', async () => {
    const tries = Array.from({ length: 5 }, () => state.claim('Poll', 'one', later(5), now));
    expect((await Promise.all(tries)).filter(Boolean)).to.have.length(1);
    expect(await state.claim('Poll', 'one', later(9), later(4))).to.equal(false);
    expect(await state.claim('Poll', 'another', later(5), now)).to.equal(true);
    expect(await state.claim('Poll', 'one', later(10), later(5))).to.equal(true);
    expect(await state.claim('Poll', 'one', later(12), later(9))).to.equal(false);
  });

  it('ends with the grant, the client, the citizen', async () => {
    const exists = async (id: string) => (await state.find('RefreshToken', id, now)) !== null;
    await state.put(record('one'));
    await state.removeOfGrant('a grant', 'AccessToken');
    expect(await exists('one')).to.equal(true);
    await state.removeOfGrant('a grant');
    expect(await exists('one')).to.equal(false);

    await state.put(record('two'));
    await state.removeOfClient('a client', '110000000002');
    await state.removeOfClient('a client', null, 'ClientCredentials');
    expect(await exists('two')).to.equal(true);
    await state.removeOfClient('a client', '110000000001');
    expect(await exists('two')).to.equal(false);

    await state.put(record('three'));
    expect(await state.removeOfCitizen('110000000001')).to.equal(true);
    expect(await state.removeOfCitizen('110000000001')).to.equal(false);
    expect(await exists('three')).to.equal(false);
  });

  it("lists a citizen's sessions, and removes expired ones", async () => {
    await state.put(record('cookie', { kind: 'Session', uid: 'uid' }));
    await state.put(record('token'));
    expect(await state.sessionsOf('110000000001', now)).to.deep.equal([{ jti: 'cookie' }]);
    await state.removeExpired(later(61));
    expect(await state.removeOfCitizen('110000000001')).to.equal(false);
  });

  it('removes one', async () => {
    await state.put(record('one'));
    await state.remove('RefreshToken', 'one');
    expect(await state.find('RefreshToken', 'one', now)).to.equal(null);
  });
}
