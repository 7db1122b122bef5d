import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { DamagedArchive } from '../../application/archive/ports/archive.ts';
import { DirectoryFailure } from '../../application/directory/ports/directory.ts';
import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { ObjectStore } from '../../application/ports/objectStore.ts';
import { createArchiveFiles, type Manifest } from '../../infrastructure/archive/archiveFiles.ts';
import { createJwtAccessTokens } from '../../infrastructure/credentials/jwtAccessTokens.ts';
import { createS3Objects } from '../../infrastructure/files/s3Objects.ts';
import { createTemporarySpool } from '../../infrastructure/files/temporarySpool.ts';
import { createAuthorizationServer } from '../../infrastructure/identity/authorizationServer.ts';
import { createDanProvider } from '../../infrastructure/identity/danProvider.ts';
import { createOutside } from '../../infrastructure/outside/bounds.ts';
import { createHttpDirectory } from '../../infrastructure/registry/httpDirectory.ts';
import { systemRandomness, systemClock } from '../../infrastructure/system.ts';
import { bytesOf } from '../contracts/fileStoreContract.ts';
import { danClient } from '../support/doubles/authorizationServerDouble.ts';
import {
  answer,
  type HostilePeer,
  pour,
  startHostilePeer,
} from '../support/doubles/hostilePeer.ts';
import { s3Credentials } from '../support/doubles/s3Double.ts';
import { twoPersons } from '../support/given/persons.ts';

/** JSON as it stands: numbers that no number in JavaScript is. */
const raw = (text: string) => text;

describe('N19: numbers, dates and lists of a peer', () => {
  let peer: HostilePeer;

  before(async () => {
    peer = await startHostilePeer();
  });
  after(() => peer.stop());

  describe('a registry', () => {
    const organization = (fields: string) =>
      raw(`{"name":"Тамга Демо","registration_number":"5512345",${fields}}`);
    const asked = async (body: string) => {
      peer.script = (socket) => answer(socket, body);
      return peer.boundedly(() =>
        createHttpDirectory({ url: peer.origin, timeoutMs: 10_000 }).organization('5512345'),
      );
    };

    for (const [given, coreId] of [
      ['400000000', 400_000_000],
      ['"400000000"', 400_000_000],
      ...['-1', '1e308', '1e999', '0.5', '9007199254740993', '"1e3"', '"0x10"', '" "', '""'].map(
        (wrong) => [wrong, null] as const,
      ),
      ...['true', '[7]', '{"valueOf":1}', '"NaN"', `"${'9'.repeat(400)}"`].map(
        (wrong) => [wrong, null] as const,
      ),
    ] as const) {
      it(`gives no other number of a core than one: ${given.slice(0, 20)}`, async () => {
        expect(await asked(organization(`"core_id":${given}`))).to.include({ coreId });
      });
    }

    for (const [what, body] of [
      ['a code that is long to match', raw(`{"code":"${'notfound'.repeat(7_500)}\\n"}`)],
      ['a name that is long', organization('"legal_name":"x","name":"' + 'x'.repeat(501) + '"')],
      ['another subject, said later', organization('"registration_number":"7654321"')],
      ['a number that is long', organization(`"registration_number":"${'5'.repeat(60_000)}"`)],
      ['a list that is long', organization(`"affiliates":[${'"x",'.repeat(1_001)}"x"]`)],
      ['a prototype', raw('{"__proto__":{"name":"x","registration_number":"5512345"}}')],
    ] as const) {
      it(`fails with ${what}`, async () => {
        expect(await asked(body)).to.be.instanceOf(DirectoryFailure);
      });
    }
  });

  describe('an identity provider', () => {
    const turn = { verificationId: 'v', derive: () => Buffer.alloc(32, 1) };
    const secret = turn.derive().toString('base64url');
    const scope = 'openid';
    const urls = () => ({
      authorizeUrl: `${peer.origin}/authorize`,
      tokenUrl: `${peer.origin}/token`,
      userinfoUrl: `${peer.origin}/userinfo`,
    });

    async function checked(idToken: string, claims: string, accessToken = 'token') {
      peer.script = (socket, { url }) => {
        const payload = Buffer.from(idToken).toString('base64url');
        const tokens = {
          access_token: accessToken,
          token_type: 'Bearer',
          id_token: `.${payload}.`,
        };
        answer(socket, url === '/token' ? JSON.stringify(tokens) : claims);
      };
      const provider = createDanProvider({
        server: createAuthorizationServer({
          ...danClient,
          ...urls(),
          scope,
          redirectUri: 'https://eid.example.mn/v3/kyc/dan/callback',
          timeoutMs: 10_000,
        }),
        clientId: danClient.clientId,
        scope,
        claims: { registrationNumber: '/regnum' },
        issuer: peer.origin,
        idTokenIssuer: null,
        civilRegistry: twoPersons,
        clock: systemClock,
      });
      const given = { state: `v.${secret}`, code: 'code' };
      return peer.boundedly(() => provider.check(turn, given, () => Promise.resolve()));
    }
    const token = (exp: string, aud = '"tamga"') =>
      raw(`{"iss":"x","aud":${aud},"exp":${exp},"nonce":"${secret}","sub":"s"}`);
    const soon = String(Math.floor(Date.now() / 1000) + 60);
    const bold = raw('{"sub":"s","regnum":"УБ85031512"}');

    it('identifies with what is right', async () => {
      expect(await checked(token(soon), bold)).to.include({ outcome: 'IDENTIFIED' });
    });

    for (const exp of ['-1', '4e8', '1e308', '1e999', '"9999"', 'null', '[4e12]']) {
      it(`gives no ID token that ends at ${exp}`, async () => {
        expect(await checked(token(exp), bold)).to.be.instanceOf(Unavailable);
      });
    }

    it('gives no token for thousands', async () => {
      const many = JSON.stringify(Array(5_000).fill('tamga'));
      expect(await checked(token(soon, many), bold)).to.be.instanceOf(Unavailable);
    });

    it('gives no access token that is no header, of which the log says nothing', async () => {
      const outcome = await checked(token(soon), bold, 'secret\r\nx: y');
      expect(outcome).to.be.instanceOf(Unavailable);
      expect(String((outcome as Unavailable).cause)).not.to.include('secret');
    });

    for (const regnum of ['1e308', '["УБ85031512"]', '{}', `"${'У'.repeat(400_000)}"`, 'true']) {
      it(`names nobody by ${regnum.slice(0, 20)}`, async () => {
        const outcome = await checked(token(soon), raw(`{"sub":"s","regnum":${regnum}}`));
        expect(outcome).to.deep.equal({ outcome: 'FAILED', reason: 'SUBJECT_UNREADABLE' });
      });
    }
  });

  describe('an issuer of access tokens', () => {
    const key = 'k'.repeat(32);
    const tokens = createJwtAccessTokens({
      issuers: [{ issuer: 'issuer', key }],
      audience: null,
      masterKey: Buffer.alloc(32, 1),
      clock: systemClock,
      randomness: systemRandomness,
    });

    function userIdIn(UserID: string): Promise<string | null> {
      const part = (text: string) => Buffer.from(text).toString('base64url');
      const now = Math.floor(Date.now() / 1000);
      const signed = `${part('{"alg":"HS256"}')}.${part(
        raw(
          `{"iss":"issuer","iat":${now},"exp":${now + 60},"jti":"j","Kind":"access","UserID":${UserID}}`,
        ),
      )}`;
      const signature = createHmac('sha256', key).update(signed).digest('base64url');
      return tokens.read(`${signed}.${signature}`).then((claims) => claims?.userId ?? null);
    }

    for (const [given, userId] of [
      ['400000000', '400000000'],
      // The next number is read as this one: two people would be one user.
      ...['9007199254740992', '1e308', '1e999', '0.1', '[1]'].map((id) => [id, null] as const),
    ] as const) {
      it(`names ${userId ?? 'nobody'} by ${given}`, async () => {
        expect(await userIdIn(given)).to.equal(userId);
      });
    }
  });

  describe('a bucket with the archive', () => {
    const spool = createTemporarySpool({ access: createOutside().open('temporaryFiles') });
    const signer = {
      sign: (manifest: Manifest) => Promise.resolve(JSON.stringify(manifest)),
      verified: (signed: string) => Promise.resolve(JSON.parse(signed) as Manifest),
    };
    const filesIn = (store: ObjectStore) =>
      createArchiveFiles({ store, spool, signer, clock: systemClock });
    const event = (number: number): LoggedEvent => ({
      stream: `session-${number}`,
      revision: 0n,
      position: BigInt(number),
      id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      type: 'SessionStarted',
      data: '{}',
      metadata: '{"schemaVersion":1}',
    });

    /** An entry of 300 events, and its objects by the ends of their names. */
    async function archived() {
      const objects = new Map<string, Buffer>();
      const kept: ObjectStore = {
        put: async (name, content) => {
          objects.set(name, (await bytesOf(content.read())) ?? Buffer.alloc(0));
        },
        get: () => Promise.resolve(null),
        remove: () => Promise.resolve(),
      };
      async function* events() {
        yield await Promise.resolve(Array.from({ length: 300 }, (_, number) => event(number + 1)));
      }
      const entry = await filesIn(kept).write({ first: 1n, last: 300n }, events());
      const object = (end: string) => objects.get(entry.name + end) ?? Buffer.alloc(0);
      return { entry, index: object('.index'), data: object('.jsonl.gz') };
    }

    /** Outcome of reading the entry from the bucket. */
    function read(entry: Awaited<ReturnType<typeof archived>>['entry']) {
      const bucket = createS3Objects({
        ...s3Credentials,
        bucketUrl: peer.origin,
        dependency: 'archive',
        timeoutMs: 10_000,
      });
      return peer.boundedly(async () => {
        let events = 0;
        for await (const batch of filesIn(bucket).read(entry)) events += batch.length;
        return events;
      });
    }

    const serve = (index: Buffer, data: Buffer | 'endless') => {
      peer.script = (socket, { url = '' }) => {
        if (url.endsWith('.index')) answer(socket, index);
        else if (data !== 'endless') answer(socket, data);
        else {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          pour(socket, Buffer.alloc(65_536, 1));
        }
      };
    };

    it('is read when it is as it was written', async () => {
      const { entry, index, data } = await archived();
      serve(index, data);
      expect(await read(entry)).to.equal(300);
    });

    it('is not believed how long a block is, and not read without an end', async () => {
      const { entry, index } = await archived();
      const forged = Buffer.from(index);
      // The length of the first block.
      forged.writeUInt32BE(0xffff_ffff, 16 + 14);
      for (const given of [index, forged]) {
        serve(given, 'endless');
        expect(await read(entry)).to.be.instanceOf(DamagedArchive);
      }
    });

    it('has no block unpacked that is another', async () => {
      const { entry, index, data } = await archived();
      const other = Buffer.from(data);
      other.writeUInt8(other.readUInt8(9) ^ 1, 9);
      serve(index, other);
      const outcome = await read(entry);
      expect(outcome).to.be.instanceOf(DamagedArchive);
      expect(String(outcome)).to.include('changed after it was written');
    });
  });
});
