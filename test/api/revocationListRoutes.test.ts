import { expect } from 'chai';
import { revocationListRoutes } from '../../api/pki/revocationListRoutes.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { RevocationList } from '../../application/certificate/ports/revocationLists.ts';
import type { ApiServer } from '../../api/server.ts';
import type { IssuingAuthority } from '../../domain/certificate/events.ts';
import { startTestServer } from '../support/http/http.ts';

describe('GET /crl', () => {
  const thisUpdate = new Date('2026-06-01T10:00:00Z');
  let lists: Map<IssuingAuthority, RevocationList>;
  let server: ApiServer;
  let origin: string;

  const list = (authority: IssuingAuthority, number: bigint): RevocationList => ({
    authority,
    number,
    thisUpdate,
    nextUpdate: new Date('2026-06-02T10:00:00Z'),
    der: Buffer.from(`${authority} ${number}`),
  });

  beforeEach(async () => {
    lists = new Map();
    for (const [index, authority] of (['personal', 'organization', 'root'] as const).entries()) {
      lists.set(authority, list(authority, BigInt(index + 10)));
    }
    const routes = revocationListRoutes(['personal', 'organization', 'personal-2'], (authority) => {
      const found = lists.get(authority);
      return found === undefined
        ? Promise.reject(new Unavailable('revocationLists'))
        : Promise.resolve(found);
    });
    ({ server, origin } = await startTestServer(routes));
  });

  afterEach(() => server.stop(100));

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(origin + path, { headers, method });

  for (const [path, body] of [
    ['/crl', 'personal 10'],
    ['/crl/org', 'organization 11'],
    ['/crl/root', 'root 12'],
  ] as const) {
    it(`serves ${path} to anybody`, async () => {
      const response = await get(path);
      expect(response.status).to.equal(200);
      expect(response.headers.get('content-type')).to.equal('application/pkix-crl');
      expect(response.headers.get('last-modified')).to.equal('Mon, 01 Jun 2026 10:00:00 GMT');
      expect(response.headers.get('cache-control')).to.equal('public, max-age=60');
      expect(await response.text()).to.equal(body);
    });
  }

  it('answers HEAD with the length and no body', async () => {
    const response = await get('/crl', {}, 'HEAD');
    expect(response.headers.get('content-length')).to.equal('11');
    expect(await response.text()).to.equal('');
  });

  for (const [what, headers, status] of [
    ['its tag', { 'if-none-match': '"a"' }, 304],
    ['its tag, weak, among others', { 'if-none-match': '"b", W/"a"' }, 304],
    ['any tag', { 'if-none-match': '*' }, 304],
    ['another tag', { 'if-none-match': '"b"' }, 200],
    ['its time', { 'if-modified-since': thisUpdate.toUTCString() }, 304],
    ['a later time', { 'if-modified-since': 'Mon, 01 Jun 2026 10:00:01 GMT' }, 304],
    ['an earlier time', { 'if-modified-since': 'Mon, 01 Jun 2026 09:59:59 GMT' }, 200],
    ['no time', { 'if-modified-since': 'yesterday' }, 200],
    [
      'another tag and its time',
      { 'if-none-match': '"b"', 'if-modified-since': thisUpdate.toUTCString() },
      200,
    ],
  ] as const) {
    it(`responds ${status} to a caller with ${what}`, async () => {
      const response = await get('/crl', { ...headers });
      expect(response.status).to.equal(status);
      expect(response.headers.get('etag')).to.equal('"a"');
      expect(await response.text()).to.equal(status === 304 ? '' : 'personal 10');
    });
  }

  it('serves the newer list as soon as there is one', async () => {
    await get('/crl');
    lists.set('personal', list('personal', 13n));
    const response = await get('/crl', { 'if-none-match': '"a"' });
    expect(response.headers.get('etag')).to.equal('"d"');
    expect(await response.text()).to.equal('personal 13');
  });

  it('answers 503 while there is none', async () => {
    lists.delete('personal');
    const response = await get('/crl');
    expect(response.status).to.equal(503);
    expect(response.headers.get('retry-after')).to.be.a('string');
  });
});
