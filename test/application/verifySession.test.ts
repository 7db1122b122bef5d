import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { expect } from 'chai';
import { createMadeDocuments } from '../../application/stamp/madeDocuments.ts';
import type { Check, CheckName, CheckOf } from '../../application/verification/verification.ts';
import { createVerifySession } from '../../application/verification/verifySession.ts';
import type { CertificateEvent } from '../../domain/certificate/events.ts';
import type { SessionConfirmed, SessionStarted } from '../../domain/session/events.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import type { DocumentStamped } from '../../domain/stamp/events.ts';
import { FORGOTTEN } from '../../domain/shared/personalData.ts';
import { createCertificateReader } from '../../infrastructure/pki/certificateReader.ts';
import { createSignatureVerifier } from '../../infrastructure/pki/signatureVerifier.ts';
import { createTimestampVerifier } from '../../infrastructure/timestamping/timestampVerifier.ts';
import {
  certificateIssued,
  certificateRequested,
  recordable,
  sessionConfirmed,
  sessionStarted,
} from '../support/events/exampleEvents.ts';
import { startTestAuthority, type TestAuthority } from '../support/doubles/memoryPki.ts';
import { ecKey, newSerial, order } from '../support/pki/pkiFixtures.ts';
import {
  startTestTimestampAuthority,
  type TestTimestampAuthority,
} from '../support/pki/timestampAuthority.ts';
import { givenInMemory } from '../support/given/inMemory.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';

describe('verifySession', () => {
  let pki: TestAuthority;
  let stranger: TestAuthority;
  let timestamps: TestTimestampAuthority;

  before(async () => {
    const clock = { now: () => new Date(Date.now() - 172_800_000) };
    pki = await startTestAuthority({ clock });
    stranger = await startTestAuthority({ clock });
    timestamps = await startTestTimestampAuthority();
  });

  after(async () => {
    await pki.stop();
    await stranger.stop();
    await timestamps.stop();
  });

  interface Given {
    readonly started?: Partial<SessionStarted['data']>;
    readonly confirmed?: Partial<SessionConfirmed['data']>;
    /** Instead of the confirmation. */
    readonly ending?: readonly DomainEvent[];
    readonly authority?: TestAuthority;
    readonly isForgotten?: boolean;
    /** Status of the certificate. */
    readonly then?: (serial: string) => readonly CertificateEvent[];
    /** Further facts of the stamp. */
    readonly stamped?: Partial<DocumentStamped['data']>;
    /** Digest the stamp's timestamp is over; default: of the signature. */
    readonly stampOver?: Buffer | 'signature';
  }

  /** A signature by a certified key, in the log, and what is found of it. */
  async function verify(given: Given = {}) {
    const { clock, eventStore, sessions, stores } = givenInMemory({
      clock: () => manualClock(null),
    });
    const append = (stream: string, ...events: readonly DomainEvent[]) =>
      eventStore.append(
        stream,
        events.map((event) => recordable(event)),
        'any',
      );
    const [sessionId, preparedId] = [randomUUID(), randomUUID()];
    const [serial, key] = [newSerial(), ecKey()];
    const { authority } = given.authority ?? pki;
    const notBefore = new Date(Math.floor(Date.now() / 1000) * 1000 - 3_600_000);
    const certificate = await authority.issue(order(key.publicKey, { serial, notBefore }));
    const publicKey = key.publicKey.toString('base64');
    const issued = certificateIssued(serial);
    const kept = given.isForgotten === true ? FORGOTTEN : certificate.toString('base64');
    await append(
      `certificate-${serial}`,
      certificateRequested(serial, { publicKey }),
      { ...issued, data: { ...issued.data, certificate: kept } },
      ...(given.then?.(serial) ?? []),
    );
    const digest = randomBytes(32);
    const secret = Buffer.from(key.privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
    const signature = Buffer.from(p256.sign(digest, secret, { prehash: false, format: 'der' }));
    const completedAt = at(-10_000);
    await append(
      `session-${sessionId}`,
      sessionStarted(sessionId, {
        digest: digest.toString('base64'),
        hashType: 'SHA256',
        fileName: 'Гэрээ.pdf',
        ...given.started,
      }),
      ...(given.ending ?? [
        sessionConfirmed({
          certificateSerial: serial,
          signature: signature.toString('base64'),
          completedAt,
          signatureAlgorithm: 'ecdsa-with-SHA256',
          ...given.confirmed,
        }),
      ]),
    );
    async function stamp({ stampOver, stamped = {} }: Given): Promise<void> {
      if (stampOver === undefined) return;
      const imprint =
        stampOver === 'signature' ? createHash('sha256').update(signature).digest() : stampOver;
      const token = await timestamps.authority.timestamp(imprint, 'SHA256');
      const timestampToken = token.toString('base64');
      const data = { sessionId, timestampToken, form: 'DOCUMENT_SIGNER', ...stamped };
      for (const id of [sessionId, preparedId]) {
        await append(`stamp-${id}`, { type: 'DocumentStamped', data });
      }
    }
    await stamp(given);
    const madeDocuments = createMadeDocuments(stores);
    const verifySession = createVerifySession({
      madeDocuments,
      eventStore,
      clock,
      sessions,
      signatureVerifier: createSignatureVerifier({ ecdsaDigests: pki.ecdsaDigests }),
      certificates: createCertificateReader(pki.authority.certificates),
      timestamps: createTimestampVerifier({ anchors: [timestamps.root] }),
    });
    const verification = await verifySession(sessionId);
    const check = <Name extends CheckName>(name: Name) => {
      const checks: readonly Check[] = verification?.checks ?? [];
      const found = checks.find((each) => each.name === name);
      if (found === undefined) throw new Error(`There is no check ${name}.`);
      return found as CheckOf<Name>;
    };
    const results = () => verification?.checks.map(({ name, result }) => `${name} ${result}`);
    const verdict = verification?.kind === 'signed' ? verification.verdict : null;
    return { verification, verdict, check, results, verifySession, digest, preparedId };
  }

  const at = (ms: number) => new Date(Date.now() + ms).toISOString();

  it('passes a signature by a certificate in force, before any stamp', async () => {
    const { verification, results, digest } = await verify();
    expect(results()).to.deep.equal([
      'outcome passed',
      'signature passed',
      'chain passed',
      'revocation passed',
      'timestamp open',
    ]);
    expect(verification).to.deep.include({
      kind: 'signed',
      verdict: 'valid',
      signer: { givenName: 'Бат', surname: 'Дорж' },
      fileName: 'Гэрээ.pdf',
      file: { kind: 'signed', hash: 'SHA256', digest: digest.toString('hex'), made: [] },
    });
  });

  it('F3: names who asked by the registered name first, when another was sent', async () => {
    const relyingPartyName = 'Khan Bank';
    const own = await verify({ started: { relyingPartyName } });
    expect(own.verification).to.include({ relyingPartyName });
    const { verification } = await verify({
      started: { relyingPartyName, registeredName: 'Small Shop' },
    });
    expect(verification).to.include({ relyingPartyName: 'Small Shop («Khan Bank»)' });
  });

  it('fails a signature over another digest', async () => {
    const other = randomBytes(32).toString('base64');
    const { verdict, check } = await verify({ started: { digest: other } });
    expect([verdict, check('signature').result]).to.deep.equal(['invalid', 'failed']);
  });

  it('fails a certificate of another authority', async () => {
    const { verdict, check } = await verify({ authority: stranger });
    expect([verdict, check('chain').result]).to.deep.equal(['invalid', 'failed']);
  });

  it('fails a certificate that was not in force yet', async () => {
    const { check } = await verify({ confirmed: { completedAt: at(-86_400_000) } });
    expect(check('chain').result).to.equal('failed');
  });

  it('fails a certificate that was revoked before', async () => {
    const { verdict, check } = await verify({
      then: (serial) => [
        { type: 'CertificateRevoked', data: { serial, reason: 1, revokedAt: at(-60_000) } },
      ],
    });
    expect(verdict).to.equal('invalid');
    expect(check('revocation')).to.deep.include({
      result: 'failed',
      atSigning: 'revoked',
      now: 'revoked',
      reason: 1,
    });
  });

  it('tells of a certificate that was revoked since', async () => {
    const revokedAt = at(-1);
    const { verdict, check } = await verify({
      then: (serial) => [{ type: 'CertificateRevoked', data: { serial, reason: 4, revokedAt } }],
    });
    expect(verdict).to.equal('revokedSince');
    expect(check('revocation')).to.deep.include({
      result: 'passed',
      atSigning: 'good',
      now: 'revoked',
      since: revokedAt,
      reason: 4,
    });
  });

  it('fails a signature made while the certificate was on hold, though it was reinstated', async () => {
    const { verdict, check } = await verify({
      then: (serial) => [
        { type: 'CertificateSuspended', data: { serial, suspendedAt: at(-60_000) } },
        { type: 'CertificateReinstated', data: { serial, reinstatedAt: at(-1) } },
      ],
    });
    expect(verdict).to.equal('invalid');
    expect(check('revocation')).to.deep.include({
      result: 'failed',
      atSigning: 'held',
      now: 'good',
      since: null,
    });
  });

  it('passes a signature made after a hold had ended', async () => {
    const { verdict } = await verify({
      then: (serial) => [
        { type: 'CertificateSuspended', data: { serial, suspendedAt: at(-60_000) } },
        { type: 'CertificateReinstated', data: { serial, reinstatedAt: at(-30_000) } },
      ],
    });
    expect(verdict).to.equal('valid');
  });

  it('shows the time an authority attests', async () => {
    const { verdict, check } = await verify({ stampOver: 'signature' });
    expect(verdict).to.equal('valid');
    const { result, stated } = check('timestamp');
    expect(result).to.equal('passed');
    expect(stated?.authority).to.equal('Timestamp Test Authority');
    expect(Date.parse(stated?.time ?? '')).to.be.closeTo(Date.now(), 5000);
  });

  it('finds the session of a prepared document by the id printed on it, once it is stamped', async () => {
    const stampedDigest = '0'.repeat(64);
    const { verification, verifySession, preparedId } = await verify({
      stampOver: 'signature',
      stamped: { form: 'SIGNER', stampedDigest, fileName: 'Бэлдсэн.pdf' },
      started: { fileName: null },
    });
    expect(verification).to.deep.include({
      fileName: 'Бэлдсэн.pdf',
      file: { kind: 'stamped', hash: 'SHA256', digest: stampedDigest, made: [stampedDigest] },
    });
    const found = await verifySession(preparedId);
    expect(found).to.deep.include({ kind: 'signed', sessionId: verification?.sessionId });
  });

  it('fails a timestamp over something else', async () => {
    const { verdict, check } = await verify({ stampOver: randomBytes(32) });
    expect(verdict).to.equal('invalid');
    expect(check('timestamp')).to.deep.include({ result: 'failed', stated: null });
  });

  it('leaves open what went with a forgotten person, and names nobody', async () => {
    const { verification, verdict, check } = await verify({ isForgotten: true });
    expect(verdict).to.equal('undecided');
    expect(check('signature').result).to.equal('passed');
    expect(check('chain').result).to.equal('open');
    expect(verification).to.deep.include({ signer: null });
  });

  it('says of a session that ended otherwise how, and nothing else', async () => {
    const documentNumber = randomUUID();
    const completedAt = at(-1);
    const data = { documentNumber, endResult: 'USER_REFUSED', interaction: null, completedAt };
    const { verification } = await verify({ ending: [{ type: 'SessionRefused', data }] });
    const check = { name: 'outcome', result: 'failed', endResult: 'USER_REFUSED', completedAt };
    expect(verification).to.deep.equal({
      kind: 'unsigned',
      sessionId: verification?.sessionId,
      checks: [check],
    });
  });

  for (const [what, given] of [
    ['a running session', { ending: [] }],
    [
      'an authentication',
      { started: { kind: 'AUTHENTICATION', digest: null, rpChallenge: 'AAAA', hashType: null } },
    ],
  ] as const) {
    it(`says nothing of ${what}`, async () => {
      expect((await verify(given)).verification).to.equal(null);
    });
  }

  it('says nothing of ids that are unknown or none', async () => {
    const { verifySession } = await verify();
    for (const id of [randomUUID(), 'nonsense', '']) {
      expect(await verifySession(id)).to.equal(null);
    }
  });
});
