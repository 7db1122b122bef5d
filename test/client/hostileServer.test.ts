import { createHash } from 'node:crypto';
import { expect } from 'chai';
import {
  createRevocationChecker,
  EidClient,
  randomChallenge,
  SessionFailedError,
  type SessionResult,
  type TrustSettings,
  type ValidationCode,
  ValidationError,
} from '../../client/index.ts';
import { type Asked, type HostileService, startHostileService } from './hostileService.ts';
import { nestedAuthResult, nestedSignResult } from './nestedSupport.ts';
import {
  craftCrl,
  type OpensslRevocation,
  type RevocationServer,
  startOpensslRevocation,
  startRevocationServer,
} from './revocationSupport.ts';
import {
  type Issued,
  issue,
  okResult,
  policy,
  qc,
  signChallenge,
  signDigest,
  type Wish,
} from './support.ts';

type Generation = 'G1' | 'G2';
type Kind = 'auth' | 'sign';
/** Turns what an honest service would answer into something else. */
type Lie = (honest: SessionResult, asked: Asked) => SessionResult | object;

const content = Buffer.from('a contract');
const digestB64 = createHash('sha256').update(content).digest('base64');
const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Go on?' }] as const;
const everybody = [
  ['G1', 'auth'],
  ['G1', 'sign'],
  ['G2', 'auth'],
  ['G2', 'sign'],
] as const;

describe('A hostile service', function () {
  this.timeout(60_000);
  let service: HostileService;
  let root: Issued;
  let issuing: Issued;
  const citizens = new Map<string, Issued>();
  const neighbours = new Map<Kind, Issued>();

  before(async () => {
    service = await startHostileService();
    root = await issue({ name: 'Root', ca: true });
    issuing = await issue({ name: 'Issuing', ca: true, pathLength: 0, issuer: root });
    for (const kind of ['auth', 'sign'] as const) {
      neighbours.set(kind, await issue({ ...citizen(kind), name: 'Neighbour' }));
    }
    for (const key of ['P-256', 'RSA'] as const) {
      const rsa = key === 'RSA' ? { rsaBits: 2048 } : {};
      citizens.set(`auth ${key}`, await issue({ ...citizen('auth'), ...rsa }));
      citizens.set(`sign ${key}`, await issue({ ...citizen('sign'), ...rsa }));
    }
  });

  after(() => service.stop());

  function citizen(kind: Kind): Wish & { readonly issuer: Issued } {
    return {
      name: 'Citizen',
      usage: kind === 'auth' ? 'AUTH' : 'SIGN',
      policies: [policy.qcpN],
      qcStatements: kind === 'auth' ? [] : [qc.compliance],
      issuer: issuing,
    };
  }

  function citizenWith(kind: Kind, key: 'P-256' | 'RSA' = 'P-256'): Issued {
    const holder = citizens.get(`${kind} ${key}`);
    if (holder === undefined) throw new Error('There is no such citizen.');
    return holder;
  }

  /** Response of an honest service after this person confirmed. */
  function honestAnswer(holder: Issued, { kind, input, request }: Asked): SessionResult {
    if (request !== null) {
      return kind === 'auth'
        ? nestedAuthResult(holder, request)
        : nestedSignResult(holder, content, request);
    }
    const signature =
      kind === 'auth'
        ? signChallenge(holder, input)
        : signDigest(holder, Buffer.from(input, 'base64'));
    return okResult(holder, signature);
  }

  interface Attempt {
    readonly generation: Generation;
    readonly kind: Kind;
    readonly trust?: TrustSettings;
    readonly withRevocation?: boolean;
  }

  /** A relying party that does everything right, from the request to the last check. */
  async function attempt({ generation, kind, trust, withRevocation }: Attempt) {
    const client = new EidClient({
      baseUrl: service.baseUrl,
      credentials: { rpUUID: 'u1', rpName: 'DEMO', apiSecret: 'rp_sk_test' },
      trust: { trustAnchorsPem: root.pem, intermediatesPem: issuing.pem, ...trust },
      generation,
    });
    const session =
      kind === 'auth'
        ? await client.auth.notificationByEtsi('110000000001', interactions)
        : await client.sign.digestByEtsi('110000000001', digestB64, interactions);
    const result = await client.session.poll(session.sessionId);
    const validated =
      kind === 'auth'
        ? client.validator.validateAuth(result, session)
        : client.validator.validateSign(result, digestB64, { session });
    if (withRevocation === true) await client.validator.checkRevocation(validated.certificate);
    return validated;
  }

  async function refusal(how: Attempt): Promise<string> {
    try {
      await attempt(how);
      return 'ACCEPTED';
    } catch (error) {
      if (error instanceof SessionFailedError) return 'SessionFailedError';
      if (error instanceof ValidationError) return error.code;
      throw error;
    }
  }

  function lying(lie: Lie, holderOf: (kind: Kind) => Issued = citizenWith) {
    service.answer = (asked) => lie(honestAnswer(holderOf(asked.kind), asked), asked);
  }

  /** One lie told to every kind of relying party. */
  function refusesFrom(
    title: string,
    code: ValidationCode | 'SessionFailedError',
    lies: readonly Lie[],
    to: readonly (readonly [Generation, Kind])[] = everybody,
  ) {
    it(`is refused: ${title} (${code})`, async () => {
      for (const [generation, kind] of to) {
        for (const [index, lie] of lies.entries()) {
          lying(lie);
          const where = `${generation} ${kind}, lie ${index + 1}`;
          expect(await refusal({ generation, kind }), where).to.equal(code);
        }
      }
    });
  }

  /** A certificate that is wrong, and everything else right. */
  function refusesCertificate(
    title: string,
    code: ValidationCode,
    make: (
      wish: Wish & { readonly issuer: Issued },
    ) => Promise<Issued | readonly [Issued, ...Issued[]]>,
  ) {
    it(`is refused: ${title} (${code})`, async () => {
      for (const [generation, kind] of everybody) {
        const made = await make(citizen(kind));
        const [holder, ...more] = 'pem' in made ? [made] : made;
        lying(
          (honest) => honest,
          () => holder,
        );
        const trust = { intermediatesPem: [issuing, ...more].map(({ pem }) => pem) };
        expect(await refusal({ generation, kind, trust }), `${generation} ${kind}`).to.equal(code);
      }
    });
  }

  for (const key of ['P-256', 'RSA'] as const) {
    it(`is believed when it tells the truth about a ${key} key`, async () => {
      for (const [generation, kind] of everybody) {
        lying(
          (honest) => honest,
          (asked) => citizenWith(asked, key),
        );
        const { subject } = await attempt({ generation, kind });
        expect(subject.serialNumber).to.equal('PNOMN-110000000001');
      }
    });
  }

  describe('about the answer', () => {
    refusesFrom('an OK with nothing behind it', 'RESPONSE_INCOMPLETE', [
      (honest) => ({ ...honest, signatureValueB64: null }),
      (honest) => ({ ...honest, signatureValueB64: '' }),
      (honest) => ({ ...honest, certificateDerB64: null }),
      (honest) => ({ ...honest, certificateLevel: null }),
      (honest) => ({ ...honest, signatureAlgorithm: null }),
      () => ({ state: 'COMPLETE', result: { endResult: 'OK', documentNumber: 'd' } }),
    ]);

    refusesFrom('an OK without a document number', 'RESPONSE_INCOMPLETE', [
      (honest) => ({ ...honest, documentNumber: null }),
      (honest) => ({ ...honest, documentNumber: '' }),
      (honest) => ({ ...honest, documentNumber: ['d'] as unknown as string }),
    ]);

    refusesFrom('a true signature under another end', 'SessionFailedError', [
      (honest) => ({ ...honest, endResult: 'USER_REFUSED' }),
      (honest) => ({ ...honest, endResult: 'ok' }),
      (honest) => ({ ...honest, endResult: null }),
      (honest) => ({ ...honest, endResult: { toString: 'OK' } as unknown as string }),
      (honest) => ({ ...honest, state: 'RUNNING' }),
    ]);

    refusesFrom('a junk signature value', 'SIGNATURE_INVALID', [
      (honest) => ({ ...honest, signatureValueB64: 'AAAA' }),
      (honest) => ({ ...honest, signatureValueB64: Buffer.alloc(72, 0x30).toString('base64') }),
      (honest) => ({ ...honest, signatureValueB64: Buffer.alloc(256).toString('base64') }),
      (honest) => ({ ...honest, signatureValueB64: 'MAYCAQACAQA=' }),
      (honest) => ({ ...honest, signatureValueB64: 'MAYCAQECAQE=' }),
    ]);

    refusesFrom('a signature value that is not base64', 'RESPONSE_INCOMPLETE', [
      (honest) => ({ ...honest, signatureValueB64: 'not base64!' }),
      (honest) => ({ ...honest, signatureValueB64: `${honest.signatureValueB64 ?? ''}\n` }),
    ]);

    refusesFrom('the answer to another challenge or digest', 'SIGNATURE_INVALID', [
      (_honest, asked) => answerTo(asked, randomChallenge(), Buffer.from('another contract')),
    ]);

    it('is refused: the recorded answer of another session (SIGNATURE_INVALID)', async () => {
      for (const generation of ['G1', 'G2'] as const) {
        let recorded: SessionResult | null = null;
        lying((honest) => (recorded ??= honest));
        expect(await refusal({ generation, kind: 'auth' })).to.equal('ACCEPTED');
        expect(await refusal({ generation, kind: 'auth' })).to.equal('SIGNATURE_INVALID');
      }
    });

    refusesFrom('the answer of another generation', 'PROTOCOL_MISMATCH', [
      (_honest, asked) => {
        const other = asked.request === null ? requestOf(asked) : null;
        return honestAnswer(citizenWith(asked.kind), { ...asked, request: other });
      },
    ]);

    refusesFrom(
      'an authentication in the place of a signature, and the reverse',
      'PROTOCOL_MISMATCH',
      [
        (honest, { kind }) => ({
          ...honest,
          signatureProtocol: kind === 'auth' ? 'RAW_DIGEST_SIGNATURE' : 'ACSP_V2',
        }),
      ],
    );

    refusesFrom(
      'another interaction, flow or randomness than offered',
      'RESPONSE_INCOMPLETE',
      [
        (honest) => ({ ...honest, interactionTypeUsed: 'confirmationMessage' }),
        (honest) => ({ ...honest, flowType: 'QR' }),
        (honest) => ({ ...honest, serverRandom: 'AAAA' }),
        (honest) => ({ ...honest, userChallenge: null }),
      ],
      [['G2', 'auth']],
    );

    function requestOf({ kind, input }: Asked) {
      return {
        schemeName: 'smart-id',
        signatureProtocol: kind === 'auth' ? 'ACSP_V2' : 'RAW_DIGEST_SIGNATURE',
        flow: 'notification',
        challengeOrDigest: input,
        relyingPartyName: 'DEMO',
        brokeredRpName: '',
        interactions: Buffer.from(JSON.stringify(interactions)).toString('base64'),
        initialCallbackUrl: '',
        signatureAlgorithm: 'rsassa-pss',
        hashAlgorithm: 'SHA-256',
      } as const;
    }

    /** Response of an honest service to another request. */
    function answerTo(asked: Asked, challenge: string, other: Buffer): SessionResult {
      const holder = citizenWith(asked.kind);
      const input =
        asked.kind === 'auth' ? challenge : createHash('sha256').update(other).digest('base64');
      const { request } = asked;
      if (request !== null && asked.kind === 'sign')
        return nestedSignResult(holder, other, request);
      return honestAnswer(holder, {
        ...asked,
        input,
        request: request && { ...request, challengeOrDigest: input },
      });
    }
  });

  describe('about the algorithm', () => {
    refusesFrom('an algorithm nobody should use', 'ALGORITHM_UNSUPPORTED', [
      (honest) => ({ ...honest, signatureAlgorithm: 'none' }),
      (honest) => ({ ...honest, signatureAlgorithm: 'ecdsa-with-SHA1' }),
      (honest) => ({ ...honest, signatureAlgorithm: 'md5WithRSAEncryption' }),
      (honest) => ({ ...honest, signatureAlgorithm: 'sha256WithRSAEncryption' }),
      (honest) => ({ ...honest, signatureAlgorithm: '__proto__' }),
    ]);

    for (const [title, weaker] of [
      ['PKCS#1 v1.5 in the place of PSS', { signatureAlgorithm: 'sha512WithRSAEncryption' }],
      ['a shorter hash than requested', { hashAlgorithm: 'SHA-256' }],
    ] as const) {
      it(`is refused: ${title} (ALGORITHM_DOWNGRADED)`, async () => {
        service.answer = (asked) => {
          const { request } = asked;
          if (request === null) throw new Error('Only the second generation requests one.');
          return honestAnswer(citizenWith('auth', 'RSA'), {
            ...asked,
            request: { ...request, ...weaker },
          });
        };
        expect(await refusal({ generation: 'G2', kind: 'auth' })).to.equal('ALGORITHM_DOWNGRADED');
      });
    }

    it('is refused: parameters of PSS other than those of the hash (ALGORITHM_DOWNGRADED)', async () => {
      for (const changes of [
        { saltLength: 0 },
        { saltLength: 20 },
        { trailerField: '0x01' },
        { maskGenAlgorithm: { algorithm: 'id-mgf1', hashAlgorithm: 'SHA-1' } },
        { hashAlgorithm: 'SHA-1' },
      ]) {
        lying(
          (honest) => ({
            ...honest,
            signatureAlgorithmParameters: honest.signatureAlgorithmParameters && {
              ...honest.signatureAlgorithmParameters,
              ...changes,
            },
          }),
          (kind) => citizenWith(kind, 'RSA'),
        );
        for (const kind of ['auth', 'sign'] as const) {
          expect(await refusal({ generation: 'G2', kind })).to.equal('ALGORITHM_DOWNGRADED');
        }
      }
    });
  });

  describe('about the certificate', () => {
    refusesFrom('the certificate of somebody else', 'SIGNATURE_INVALID', [
      (honest, { kind }) => ({
        ...honest,
        certificateDerB64: neighbours.get(kind)?.derB64 ?? null,
      }),
    ]);

    refusesFrom('no certificate at all, or one with more behind it', 'CERTIFICATE_MALFORMED', [
      (honest) => ({ ...honest, certificateDerB64: 'AAAA' }),
      (honest) => ({ ...honest, certificateDerB64: twice(honest.certificateDerB64) }),
    ]);

    refusesFrom('a lower level than asked for', 'LEVEL_TOO_LOW', [
      (honest) => ({ ...honest, certificateLevel: 'ADVANCED' }),
      (honest) => ({ ...honest, certificateLevel: 'QUALIFIED_ALMOST' }),
    ]);

    it('is refused: another person, rightly certified, than was asked (PERSON_MISMATCH)', async () => {
      for (const [generation, kind] of everybody) {
        const somebody = await issue({ ...citizen(kind), person: 'PNOMN-119999999999' });
        lying(
          (honest) => honest,
          () => somebody,
        );
        expect(await refusal({ generation, kind })).to.equal('PERSON_MISMATCH');
      }
    });

    refusesCertificate(
      'a certificate of a lower level, called a higher one',
      'LEVEL_TOO_LOW',
      (wish) => issue({ ...wish, policies: [policy.ncp], qcStatements: [] }),
    );
    refusesCertificate('an expired certificate', 'CERTIFICATE_NOT_VALID_NOW', (wish) =>
      issue({ ...wish, notAfter: new Date('2026-02-01T00:00:00Z') }),
    );
    refusesCertificate('a certificate of the future', 'CERTIFICATE_NOT_VALID_NOW', (wish) =>
      issue({ ...wish, notBefore: new Date('2035-01-01T00:00:00Z') }),
    );
    refusesCertificate(
      'a certificate for the other purpose',
      'KEY_USAGE_WRONG',
      ({ usage, ...wish }) => issue({ ...wish, usage: usage === 'AUTH' ? 'SIGN' : 'AUTH' }),
    );
    refusesCertificate('a certificate of a web server', 'KEY_USAGE_WRONG', (wish) =>
      issue({ ...wish, purposes: ['1.3.6.1.5.5.7.3.1'] }),
    );
    refusesCertificate('a CA that answers itself', 'KEY_USAGE_WRONG', (wish) =>
      issue({ ...wish, ca: true }),
    );
    refusesCertificate(
      'a certificate without key usage',
      'KEY_USAGE_WRONG',
      ({ name, policies, issuer }) => issue({ name, policies: policies ?? [], issuer }),
    );
    refusesCertificate('a key on another curve', 'KEY_UNSUPPORTED', async (wish) => {
      const holder = await issue({ ...wish, curve: 'P-384' });
      // The signed data does not matter: such a key is refused before verification.
      return { ...holder, privateKey: citizenWith('auth').privateKey };
    });
    refusesCertificate('a short RSA key', 'KEY_UNSUPPORTED', async (wish) => {
      const holder = await issue({ ...wish, rsaBits: 1024 });
      return { ...holder, privateKey: citizenWith('auth', 'RSA').privateKey };
    });
    refusesCertificate('a critical extension nobody understands', 'CERTIFICATE_MALFORMED', (wish) =>
      issue({ ...wish, criticalExtra: true }),
    );

    function twice(derB64: string | null): string {
      const der = Buffer.from(derB64 ?? '', 'base64');
      return Buffer.concat([der, der]).toString('base64');
    }
  });

  describe('about who issued it', () => {
    refusesCertificate('a self-signed certificate', 'CHAIN_UNTRUSTED', (wish) => {
      const { name, usage = 'AUTH', policies = [] } = wish;
      return issue({ name, usage, policies });
    });
    refusesCertificate('an issuer that is no CA', 'CHAIN_UNTRUSTED', async (wish) => {
      const neighbour = await issue({ ...wish, name: 'Neighbour' });
      return [await issue({ ...wish, issuer: neighbour }), neighbour];
    });
    refusesCertificate('an issuer that may not issue', 'CHAIN_UNTRUSTED', async (wish) => {
      const authority = await issue({ name: 'Authority', ca: true, usage: 'AUTH', issuer: root });
      return [await issue({ ...wish, issuer: authority }), authority];
    });
    refusesCertificate('an expired CA', 'CHAIN_UNTRUSTED', async (wish) => {
      const notAfter = new Date('2026-02-01T00:00:00Z');
      const expired = await issue({ name: 'Expired', ca: true, issuer: root, notAfter });
      return [await issue({ ...wish, issuer: expired }), expired];
    });
    refusesCertificate('a CA below one that allows none', 'CHAIN_UNTRUSTED', async (wish) => {
      const below = await issue({ name: 'Below', ca: true, issuer: issuing });
      return [await issue({ ...wish, issuer: below }), below];
    });
    refusesCertificate('a path that is too long', 'CHAIN_UNTRUSTED', async (wish) => {
      const path: [Issued, ...Issued[]] = [await issue({ name: 'CA 0', ca: true, issuer: root })];
      for (let depth = 1; depth < 7; depth += 1) {
        const issuer = path.at(-1) ?? root;
        path.push(await issue({ name: `CA ${depth}`, ca: true, issuer }));
      }
      return [await issue({ ...wish, issuer: path.at(-1) ?? root }), ...path];
    });
    refusesCertificate('CAs that only certify each other', 'CHAIN_UNTRUSTED', async (wish) => {
      const one = await issue({ name: 'One', ca: true });
      const two = await issue({ name: 'Two', ca: true, issuer: one });
      const back = await issue({ name: 'One', ca: true, issuer: two, keys: one.keys });
      return [await issue({ ...wish, issuer: two }), two, back];
    });
    refusesCertificate(
      'CAs of the right names with other keys',
      'CHAIN_UNTRUSTED',
      async (wish) => {
        const fakeRoot = await issue({ name: 'Root', ca: true });
        const fake = await issue({ name: 'Issuing', ca: true, issuer: fakeRoot });
        return [await issue({ ...wish, issuer: fake }), fake, fakeRoot];
      },
    );
    refusesCertificate(
      'a CA whose key is not the one it names',
      'CHAIN_UNTRUSTED',
      async (wish) => {
        const stranger = await issue({ name: 'Stranger', ca: true });
        return issue({ ...wish, authorityKey: stranger });
      },
    );

    it('is refused: everything, without an anchor to begin from (NO_TRUST_ANCHOR)', async () => {
      lying((honest) => honest);
      for (const [generation, kind] of everybody) {
        const trust = { trustAnchorsPem: [] };
        expect(await refusal({ generation, kind, trust })).to.equal('NO_TRUST_ANCHOR');
      }
    });
  });

  describe('about revocation', () => {
    let server: RevocationServer;
    let openssl: OpensslRevocation;
    let valid: Issued;
    let revoked: Issued;
    let otherCa: Issued;

    before(async () => {
      server = await startRevocationServer();
      openssl = await startOpensslRevocation(issuing);
      const wish = { ...citizen('auth'), ocspUrl: server.ocspUrl, crlUrl: server.crlUrl };
      valid = await issue(wish);
      revoked = await issue(wish);
      otherCa = await issue({ name: 'Issuing', ca: true, issuer: root });
      await openssl.index([valid], [revoked]);
    });

    after(async () => {
      await openssl.stop();
      await server.stop();
    });

    const silent: RevocationServer['crl'] = (response) => {
      response.writeHead(503).end();
      return Promise.resolve(null);
    };

    async function verdicts(holder: Issued): Promise<Record<string, string>> {
      lying(
        (honest) => honest,
        () => holder,
      );
      const judge = (revocationMode: 'hard-fail' | 'soft-fail') =>
        refusal({
          generation: 'G1',
          kind: 'auth',
          trust: { revocation: createRevocationChecker({ timeoutMs: 30_000 }), revocationMode },
          withRevocation: true,
        });
      return { hard: await judge('hard-fail'), soft: await judge('soft-fail') };
    }

    const unknown = { hard: 'REVOCATION_UNKNOWN', soft: 'ACCEPTED' };

    beforeEach(() => {
      server.ocsp = (request) => openssl.ocsp(request);
      server.crl = silent;
    });

    it('is refused: a revoked certificate, by OCSP and by CRL, hard and soft (REVOKED)', async () => {
      expect(await verdicts(valid)).to.deep.equal({ hard: 'ACCEPTED', soft: 'ACCEPTED' });
      expect(await verdicts(revoked)).to.deep.equal({ hard: 'REVOKED', soft: 'REVOKED' });
      server.ocsp = (_request, response) => silent(response);
      server.crl = () => openssl.crl();
      expect(await verdicts(valid)).to.deep.equal({ hard: 'ACCEPTED', soft: 'ACCEPTED' });
      expect(await verdicts(revoked)).to.deep.equal({ hard: 'REVOKED', soft: 'REVOKED' });
    });

    it('is refused: silence, unless softly (REVOCATION_UNKNOWN)', async () => {
      server.ocsp = (_request, response) => silent(response);
      expect(await verdicts(revoked)).to.deep.equal(unknown);
    });

    it('is refused: "good" from a wrong responder, unless softly (REVOCATION_UNKNOWN)', async () => {
      const clearing = async (request: Buffer, responder: Issued) => {
        await openssl.index([valid, revoked], []);
        const answer = await openssl.ocsp(request, responder);
        await openssl.index([valid], [revoked]);
        return answer;
      };
      const purposes = ['1.3.6.1.5.5.7.3.9'];
      for (const responder of [
        otherCa,
        valid,
        await issue({ name: 'OCSP', usage: 'AUTH', purposes, issuer: otherCa }),
        await issue({ name: 'OCSP', usage: 'AUTH', purposes }),
      ]) {
        server.ocsp = (request) => clearing(request, responder);
        expect(await verdicts(revoked)).to.deep.equal(unknown);
      }
    });

    it('is refused: a stale "good", or one given to another, unless softly (REVOCATION_UNKNOWN)', async () => {
      await openssl.index([valid, revoked], []);
      let old: Buffer | null = null;
      server.ocsp = async (request) => (old = await openssl.ocsp(request));
      await verdicts(revoked);
      await openssl.index([valid], [revoked]);
      server.ocsp = () => Promise.resolve(old);
      expect(await verdicts(revoked)).to.deep.equal(unknown);
    });

    it('is refused: an empty list of another CA, or an old one, unless softly (REVOCATION_UNKNOWN)', async () => {
      server.ocsp = (_request, response) => silent(response);
      const longAgo = {
        thisUpdate: new Date('2026-01-01T00:00:00Z'),
        nextUpdate: new Date('2026-01-02T00:00:00Z'),
      };
      for (const list of [
        craftCrl(otherCa, []),
        craftCrl(root, []),
        craftCrl(issuing, [], longAgo),
      ]) {
        server.crl = () => Promise.resolve(list);
        expect(await verdicts(revoked)).to.deep.equal(unknown);
      }
    });
  });
});
