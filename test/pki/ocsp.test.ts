import { randomBytes, webcrypto } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as pkijs from 'pkijs';
import { Unavailable } from '../../application/ports/faults.ts';
import {
  derExplicit,
  derNull,
  derOctetString,
  derOid,
  derSequence,
  derTrue,
  derUnsigned,
} from '../../infrastructure/pki/kernel/der.ts';
import { readCertificate } from '../../infrastructure/pki/kernel/certificate.ts';
import { readOcspStatements } from '../../infrastructure/pki/kernel/ocsp.ts';
import { serialText } from '../../infrastructure/pki/revocationListReader.ts';
import { oid } from '../../infrastructure/pki/kernel/oids.ts';
import { issuerIds } from '../../infrastructure/pki/ocsp/responder.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { isOpensslMissing, type OcspWorld, startOcspWorld } from '../support/worlds/ocspWorld.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';
import { givenInMemory } from '../support/given/inMemory.ts';
import { newSerial } from '../support/pki/pkiFixtures.ts';

const HOUR_MS = 3_600_000;

describe('The OCSP responder', () => {
  let world: OcspWorld;

  before(async () => {
    world = await startOcspWorld();
    pkijs.setEngine('node', new pkijs.CryptoEngine({ name: 'node', crypto: webcrypto as never }));
  });

  after(() => world.stop());

  afterEach(() => {
    expect(world.failures).to.deep.equal([]);
    world.fail(null);
    world.holdReplies(null);
    world.state.isListening = true;
  });

  function certId(serial: string, authority: 'personal' | 'organization' = 'personal'): Buffer {
    const [issuer = Buffer.alloc(0)] = issuerIds(world.pki.authority.issuer(authority).certificate);
    return derSequence(issuer, derUnsigned(Buffer.from(serial, 'hex')));
  }

  const extension = (id: string, value: Buffer, ...flag: readonly Buffer[]) =>
    derSequence(derOid(id), ...flag, derOctetString(value));

  /** An OCSPRequest of these CertIDs. */
  function requestOf(ids: readonly Buffer[], ...extensions: readonly Buffer[]): Buffer {
    const list = derSequence(...ids.map((id) => derSequence(id)));
    const tail = extensions.length === 0 ? [] : [derExplicit(2, derSequence(...extensions))];
    return derSequence(derSequence(list, ...tail));
  }

  const nonceOf = (bytes: Buffer) => extension(oid.ocspNonce, derOctetString(bytes));

  function parse(body: Buffer) {
    const response = pkijs.OCSPResponse.fromBER(body);
    const status = response.responseStatus.valueBlock.valueDec;
    const bytes = response.responseBytes?.response.valueBlock.valueHexView;
    return { status, basic: bytes && pkijs.BasicOCSPResponse.fromBER(bytes) };
  }

  async function ask(request: Buffer) {
    const response = await world.post(request);
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('application/ocsp-response');
    const body = Buffer.from(await response.arrayBuffer());
    return { body, headers: response.headers, ...parse(body) };
  }

  /** CertStatus choice of each certificate: 0 good, 1 revoked, 2 unknown. */
  const statusesIn = (basic: pkijs.BasicOCSPResponse | undefined) =>
    basic?.tbsResponseData.responses.map(
      ({ certStatus }) => (certStatus as { idBlock: { tagNumber: number } }).idBlock.tagNumber,
    );

  it('O2: answers what is evidence later: who was revoked, when and why', async () => {
    const issuerOf = (authority: 'personal' | 'organization') =>
      readCertificate(Buffer.from(world.pki.authority.issuer(authority).certificate));
    const [good, revoked, unstated] = [newSerial(), newSerial(), newSerial()];
    world.set(good, null);
    world.set(revoked, { reason: 4, at: new Date('2026-01-02T03:04:05.678Z') });
    world.set(unstated, { reason: 0, at: new Date('2026-01-02T03:04:05Z') });
    const request = requestOf([good, revoked, unstated].map((serial) => certId(serial)));
    const { body } = await ask(request);
    const statements = readOcspStatements(body, issuerOf('personal'));
    const revokedAt = Date.parse('2026-01-02T03:04:05Z');
    expect(
      statements.map(({ serial, status, revocation }) => [serialText(serial), status, revocation]),
    ).to.deep.equal([
      [good, 'good', null],
      [revoked, 'revoked', { revokedAt, reason: 4 }],
      [unstated, 'revoked', { revokedAt, reason: 0 }],
    ]);
    expect(() => readOcspStatements(body, issuerOf('organization'))).to.throw(/not signed by/);
    const changed = Buffer.from(body);
    changed[body.indexOf('20260102')] = 0x31;
    expect(() => readOcspStatements(changed, issuerOf('personal'))).to.throw();
  });

  describe('asked by openssl', () => {
    before(async function () {
      if (await isOpensslMissing()) this.skip();
    });

    for (const nonce of [true, false]) {
      for (const hash of ['-sha1', '-sha256']) {
        const how = `${nonce ? 'with' : 'without'} a nonce and ${hash.slice(1)}`;
        it(`says good, revoked and on hold, ${how}`, async () => {
          const { path, serial } = await world.issue();
          const asking = [...(nonce ? ['-nonce'] : ['-no_nonce']), hash, '-cert', path];
          const good = await world.openssl(...asking);
          expect(good).to.include('Response verify OK').and.include(': good');
          expect(good).to.not.include('WARNING');

          world.set(serial, { reason: 1, at: new Date('2026-01-02T03:04:05.678Z') });
          const revoked = await world.openssl(...asking);
          expect(revoked).to.include('Response verify OK').and.include(': revoked');
          expect(revoked).to.include('Reason: keyCompromise');
          expect(revoked).to.include('Revocation Time: Jan  2 03:04:05 2026 GMT');

          world.set(serial, { reason: 6, at: new Date() });
          expect(await world.openssl(...asking)).to.include('Reason: certificateHold');
          world.set(serial, { reason: 0, at: new Date() });
          expect(await world.openssl(...asking))
            .to.include(': revoked')
            .and.not.include('Reason');
          world.set(serial, null);
          expect(await world.openssl(...asking)).to.include(': good');
        });
      }
    }

    it('answers for several certificates in one request', async () => {
      const [first, second] = [await world.issue(), await world.issue()];
      world.set(second.serial, { reason: 4, at: new Date() });
      const shown = await world.openssl(
        '-cert',
        first.path,
        '-cert',
        second.path,
        '-serial',
        '0x7',
      );
      expect(shown).to.include(`${first.path}: good`);
      expect(shown).to.include(`${second.path}: revoked`);
      expect(shown).to.include('0x7: unknown');
    });

    it('answers the GET form, however much of the address is percent-encoded', async () => {
      const { path } = await world.issue();
      const request = await world.request('-no_nonce', '-cert', path);
      const base64 = request.toString('base64');
      const spellings = [encodeURIComponent(base64), base64, encodeURI(base64), `${base64}?x=1`];
      for (const [index, spelling] of spellings.entries()) {
        const response = await fetch(`${world.origin}/ocsp/${spelling}`);
        expect(response.headers.get('content-type')).to.equal('application/ocsp-response');
        const file = join(world.directory, `get-${index}.der`);
        await writeFile(file, Buffer.from(await response.arrayBuffer()));
        const shown = await world.openssl('-respin', file, '-no_nonce', '-cert', path);
        expect(shown, spelling).to.include('Response verify OK').and.include(': good');
      }
    });
  });

  describe('asked by pkijs', () => {
    it('signs with the delegated certificate of the CA asked about, by key hash', async () => {
      const { serial } = await world.issue();
      world.set('0b', null, 'organization');
      const questions = [
        ['personal', serial, 'OCSP_PERSONAL'],
        ['organization', '0b', 'OCSP_ORGANIZATION'],
      ] as const;
      for (const [authority, asked, purpose] of questions) {
        const { basic } = await ask(requestOf([certId(asked, authority)]));
        const { certificate } = world.identities.current(purpose);
        const [sent] = basic?.certs ?? [];
        expect(Buffer.from(sent?.toSchema().toBER() ?? new ArrayBuffer(0))).to.deep.equal(
          certificate,
        );
        const trustedCerts = [
          world.pki.authority.certificates.root,
          world.pki.authority.issuer(authority).certificate,
        ].map((der) => pkijs.Certificate.fromBER(der));
        expect(await basic?.verify({ trustedCerts })).to.equal(true);
        expect(statusesIn(basic)).to.deep.equal([0]);
      }
    });

    it('repeats a nonce of 1 to 128 bytes, byte for byte', async () => {
      const { serial } = await world.issue();
      for (const length of [1, 16, 32, 127, 128]) {
        const nonce = randomBytes(length);
        const { basic, headers } = await ask(requestOf([certId(serial)], nonceOf(nonce)));
        const [echoed] = basic?.tbsResponseData.responseExtensions ?? [];
        expect(echoed?.extnID).to.equal(oid.ocspNonce);
        expect(Buffer.from(echoed?.extnValue.valueBlock.valueHexView ?? [])).to.deep.equal(
          derOctetString(nonce),
        );
        expect(headers.get('cache-control')).to.equal('no-cache, no-store');
      }
    });

    it('keeps the status of expired certificates from the beginning of the CA on, and says so', async () => {
      const { serial } = await world.issue();
      const { basic } = await ask(requestOf([certId(serial)]));
      const [single] = basic?.tbsResponseData.responses ?? [];
      expect(single?.singleExtensions?.map(({ extnID }) => extnID)).to.deep.equal([
        oid.ocspArchiveCutoff,
      ]);
    });
  });

  describe('asked for what it cannot answer', () => {
    const errors = { malformed: 1, tryLater: 3, unauthorized: 6 };

    it('calls a serial that was never issued, or by the other CA, unknown', async () => {
      const { serial } = await world.issue();
      const ids = [certId(newSerial()), certId(serial), certId(serial, 'organization')];
      const { basic, headers } = await ask(requestOf(ids));
      expect(statusesIn(basic)).to.deep.equal([2, 0, 2]);
      expect(headers.get('cache-control')).to.equal('no-cache, no-store');
      expect(statusesIn((await ask(requestOf([certId(newSerial())]))).basic)).to.deep.equal([2]);
    });

    it('does not remember that a certificate was not issued', async () => {
      const serial = newSerial();
      expect(statusesIn((await ask(requestOf([certId(serial)]))).basic)).to.deep.equal([2]);
      world.set(serial, null);
      expect(statusesIn((await ask(requestOf([certId(serial)]))).basic)).to.deep.equal([0]);
    });

    it('is not authorized to speak for other authorities', async () => {
      const [root = Buffer.alloc(0)] = issuerIds(world.pki.authority.certificates.root);
      const request = requestOf([derSequence(root, derUnsigned(Buffer.from([1])))]);
      expect((await ask(request)).status).to.equal(errors.unauthorized);
    });

    it('says tryLater where only another process may know the authority', async () => {
      const [root = Buffer.alloc(0)] = issuerIds(world.pki.authority.certificates.root);
      world.fail(new Unavailable('issuingAuthority'));
      const request = requestOf([derSequence(root, derUnsigned(Buffer.from([1])))]);
      expect((await ask(request)).status).to.equal(errors.tryLater);
      world.fail(null);
    });

    it('says tryLater once its certificate ended without a successor', async () => {
      const parts = givenInMemory({ clock: () => manualClock(null) });
      const { authority } = await parts.startPki();
      const identities = await parts.startIdentities({ everyMs: 24 * HOUR_MS });
      const statuses = { statuses: () => Promise.resolve([]) };
      const responder = await parts.startResponder({ identities, statuses });
      const [issuer = Buffer.alloc(0)] = issuerIds(authority.issuer('personal').certificate);
      const id = derSequence(issuer, derUnsigned(Buffer.from(newSerial(), 'hex')));
      const answered = async () => parse((await responder.respond(requestOf([id]))).body).status;
      expect(await answered()).to.equal(0);
      parts.clock.advance(7 * 24 * HOUR_MS);
      expect(await answered()).to.equal(3);
      await parts.stop();
    });

    it('is not authorized to overlook a critical extension', async () => {
      const { serial } = await world.issue();
      const critical = extension('1.3.6.1.5.5.7.48.1.99', derNull, derTrue);
      const { status } = await ask(requestOf([certId(serial)], critical));
      expect(status).to.equal(errors.unauthorized);
      const tolerated = extension('1.3.6.1.5.5.7.48.1.99', derNull);
      expect((await ask(requestOf([certId(serial)], tolerated))).status).to.equal(0);
    });

    it('calls everything else malformed', async () => {
      const { serial } = await world.issue();
      const good = requestOf([certId(serial)]);
      const malformed: Readonly<Record<string, Buffer>> = {
        nothing: Buffer.alloc(0),
        text: Buffer.from('{"status":"good?"}'),
        'more behind': Buffer.concat([good, Buffer.alloc(1)]),
        'cut off': good.subarray(0, -1),
        'no certificate': requestOf([]),
        'empty nonce': requestOf([certId(serial)], nonceOf(Buffer.alloc(0))),
        'long nonce': requestOf([certId(serial)], nonceOf(Buffer.alloc(129))),
        'bare nonce': requestOf([certId(serial)], extension(oid.ocspNonce, Buffer.from([1, 2]))),
        'two nonces': requestOf(
          [certId(serial)],
          nonceOf(Buffer.alloc(8)),
          nonceOf(Buffer.alloc(8)),
        ),
        'long serial': requestOf([certId('41'.repeat(21))]),
      };
      for (const [name, request] of Object.entries(malformed)) {
        const { status, headers } = await ask(request);
        expect(status, name).to.equal(errors.malformed);
        expect(headers.get('cache-control')).to.equal('no-cache, no-store');
      }
      const response = await fetch(`${world.origin}/ocsp/%%%`);
      expect(response.status).to.equal(400);
      const noBase64 = await fetch(`${world.origin}/ocsp/no-base64!`);
      expect(parse(Buffer.from(await noBase64.arrayBuffer())).status).to.equal(errors.malformed);
    });

    it('survives whatever arrives', async () => {
      const { serial } = await world.issue();
      const good = requestOf([certId(serial)], nonceOf(randomBytes(16)));
      for (let round = 0; round < 2000; round += 1) {
        const bytes = Buffer.from(good);
        for (let change = 0; change <= round % 3; change += 1) {
          bytes[Math.floor(Math.random() * bytes.length)] = Math.floor(Math.random() * 256);
        }
        const cut = round % 5 === 0 ? Math.floor(Math.random() * bytes.length) : bytes.length;
        const { body } = await world.responder.respond(bytes.subarray(0, cut));
        expect(parse(body).status, bytes.toString('hex')).to.be.oneOf([0, 1, 6]);
      }
    });

    it('answers tryLater while the read model is unavailable, unless a response is prepared', async () => {
      const [known, other] = [await world.issue(), await world.issue()];
      const remembered = await ask(requestOf([certId(known.serial)]));
      world.fail(new Unavailable('database'));
      expect((await ask(requestOf([certId(other.serial)]))).status).to.equal(errors.tryLater);
      expect((await ask(requestOf([certId(known.serial)]))).body).to.deep.equal(remembered.body);
    });
  });

  describe('with prepared responses', () => {
    it('signs once for everybody, and says how long that may be kept', async () => {
      const { serial } = await world.issue();
      const request = requestOf([certId(serial)]);
      const first = await ask(request);
      const { signatures, queries } = world.state;
      const second = await ask(request);
      expect(second.body).to.deep.equal(first.body);
      expect(world.state).to.include({ signatures, queries });

      const [single] = first.basic?.tbsResponseData.responses ?? [];
      const { headers } = second;
      const names = (answer: Headers) => [...answer.keys()].sort();
      expect(names(headers)).to.deep.equal(names(first.headers));
      expect(headers.get('content-type')).to.equal('application/ocsp-response');
      expect(headers.get('cache-control')).to.equal(
        'max-age=60, public, no-transform, must-revalidate',
      );
      expect(headers.get('last-modified')).to.equal(single?.thisUpdate.toUTCString());
      expect(headers.get('expires')).to.equal(single?.nextUpdate?.toUTCString());
      const etag = headers.get('etag') ?? '';
      expect(etag).to.match(/^"[0-9a-f]{40}"$/);
      const path = `${world.origin}/ocsp/${encodeURIComponent(request.toString('base64'))}`;
      const unchanged = await fetch(path, { headers: { 'if-none-match': etag } });
      expect(unchanged.status).to.equal(304);
      expect(unchanged.headers.get('etag')).to.equal(etag);
    });

    it('drops them the moment a change is announced', async () => {
      const { serial } = await world.issue();
      const request = requestOf([certId(serial)]);
      expect(statusesIn((await ask(request)).basic)).to.deep.equal([0]);
      world.set(serial, { reason: 1, at: new Date() });
      expect(statusesIn((await ask(request)).basic)).to.deep.equal([1]);
    });

    it('does not remember what a change overtook while it was read', async () => {
      const { serial } = await world.issue();
      const request = requestOf([certId(serial)]);
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const { queries } = world.state;
      world.holdReplies(() => held);
      const early = ask(request);
      await eventually(() => expect(world.state.queries).to.equal(queries + 1));
      world.set(serial, { reason: 1, at: new Date() });
      world.holdReplies(null);
      const late = ask(request);
      expect(statusesIn((await late).basic)).to.deep.equal([1]);
      release();
      await early;
      expect(statusesIn((await ask(request)).basic)).to.deep.equal([1]);
    });

    it('reads everything again after announcements may have been missed, and keeps what did not change', async () => {
      const [same, changed] = [await world.issue(), await world.issue()];
      const requests = [requestOf([certId(same.serial)]), requestOf([certId(changed.serial)])];
      const [before] = await Promise.all(requests.map(ask));
      const { feed, state } = world;
      const { notify } = feed;
      feed.notify = () => undefined;
      world.set(changed.serial, { reason: 1, at: new Date() });
      feed.notify = notify;
      feed.notifyAll();
      const { queries } = state;
      const [after, revoked] = await Promise.all(requests.map(ask));
      expect(statusesIn(revoked?.basic)).to.deep.equal([1]);
      expect(statusesIn(after?.basic)).to.deep.equal(statusesIn(before?.basic));
      expect(state.queries).to.be.greaterThan(queries);
    });

    it('trusts nothing remembered while changes cannot be announced', async () => {
      const { serial } = await world.issue();
      const request = requestOf([certId(serial)]);
      await ask(request);
      world.state.isListening = false;
      const { queries } = world.state;
      await ask(request);
      await ask(request);
      expect(world.state.queries).to.equal(queries + 2);
      world.fail(new Unavailable('database'));
      expect((await ask(request)).status).to.equal(3);
    });

    it('renews them at half of their validity, while they are still served', async () => {
      const { serial } = await world.issue();
      const request = requestOf([certId(serial)]);
      const first = await ask(request);
      world.clock.advance(HOUR_MS / 2 + 1000);
      expect((await ask(request)).body).to.deep.equal(first.body);
      await eventually(async () => expect((await ask(request)).body).to.not.deep.equal(first.body));
      const second = await ask(request);
      world.clock.advance(HOUR_MS + 1000);
      const third = await ask(request);
      expect(third.body).to.not.deep.equal(second.body);
      const [single] = third.basic?.tbsResponseData.responses ?? [];
      expect(single?.nextUpdate?.getTime()).to.be.greaterThan(world.clock.now().getTime());
    });

    it('signs with the new certificate once the old one was replaced', async () => {
      const { serial } = await world.issue();
      const request = requestOf([certId(serial)]);
      const first = await ask(request);
      const { certificate } = world.identities.current('OCSP_PERSONAL');
      world.clock.advance(5 * 24 * HOUR_MS);
      await eventually(() =>
        expect(world.identities.current('OCSP_PERSONAL').certificate).to.not.deep.equal(
          certificate,
        ),
      );
      const second = await ask(request);
      expect(second.body.includes(certificate)).to.equal(false);
      expect(first.body.includes(certificate)).to.equal(true);
    });
  });

  it('gives validation material to store with a signature, signed on request', async function () {
    if (await isOpensslMissing()) this.skip();
    const { serial, path } = await world.issue();
    const file = join(world.directory, 'evidence.der');
    await writeFile(file, await world.responder.ocspResponse('personal', serial));
    const shown = await world.openssl('-respin', file, '-no_nonce', '-cert', path);
    expect(shown).to.include('Response verify OK').and.include(': good');
  });
});
