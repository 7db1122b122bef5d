import { execFile } from 'node:child_process';
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { isInstalled } from '../../main/cli/test.ts';
import { pause } from '../../application/ports/follow.ts';
import { EidClient, ResponseValidator, ValidationError } from '../../client/index.ts';
import { certificatePem } from '../../infrastructure/pki/trustFiles.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { startServiceHere } from '../support/installation/installation.ts';
import { call, type RelyingPartyCredentials } from '../../main/drill/callers.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import { expectSound } from '../support/pdf/pdfChecks.ts';
import { pythonPackage } from '../support/programs/pythonPackages.ts';
import { organizationsOf } from '../support/installation/organizations.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { createServiceHere } from '../support/installation/serviceHere.ts';
import { createServiceProcess, type Settings } from '../support/installation/serviceProcess.ts';
import {
  createTemporaryToken,
  softHsmModule,
  type TemporaryToken,
} from '../support/programs/softhsm.ts';
import { aParty } from '../support/given/wishes.ts';

const run = promisify(execFile);
const register = '5123456';
const etsi = `NTRMN-${register}`;

/** A service with an organization and a relying party that may seal. */
async function startSealing(more: Settings = {}) {
  const settings = { SVC_DATABASE_URL: await migratedDatabase(), ...more };
  const directory = await mkdtemp(join(tmpdir(), 'tamga-seal-'));
  const service = await startServiceHere(settings);
  const credentials = await service.registerRelyingParty(aParty('Seals', ['SEAL']));
  const trust = await service.writeTrustFiles(directory);
  const organizations = organizationsOf(settings.SVC_DATABASE_URL);
  await organizations.start();
  await organizations.register(register);
  const issuer = await fetch(`${service.origin}/ca/organization.cer`);
  const issuerPem = join(directory, 'issuer.pem');
  await writeFile(issuerPem, certificatePem(Buffer.from(await issuer.arrayBuffer())));
  const { relyingPartyId } = credentials;
  const operators = (path: string, body: object) =>
    call(`${service.origin}/v3/admin${path}`, { method: 'POST', body });
  /** Operators put the organization on the relying party's list, and issue its certificate. */
  const prepareSealing = async (orgEtsi: string) => {
    const list = `/relying-parties/${relyingPartyId}/seal-organizations`;
    const allowed = await operators(list, { orgEtsi });
    expect(allowed.status, JSON.stringify(allowed.body)).to.equal(200);
    const issue = `/organizations/${encodeURIComponent(orgEtsi)}/seal-certificate`;
    const issued = await operators(issue, {});
    expect(issued.status, JSON.stringify(issued.body)).to.equal(200);
  };
  return {
    credentials,
    trust,
    prepareSealing,
    issuerPem,
    settings,
    directory,
    organizations,
    service,
    client: clientOf(service.origin, credentials),
    stop: async () => {
      await service.stop();
      await organizations.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

type Sealing = Awaited<ReturnType<typeof startSealing>>;

function clientOf(baseUrl: string, { relyingPartyId, apiSecret }: RelyingPartyCredentials) {
  return new EidClient({
    baseUrl,
    credentials: { rpUUID: relyingPartyId, rpName: 'Seals', apiSecret },
  });
}

/** Output of `openssl x509 -text` for a certificate that `openssl verify` traced to the root. */
async function verifiedText({ directory, trust }: Sealing, derB64: string): Promise<string> {
  const path = join(directory, 'seal.pem');
  await writeFile(path, new X509Certificate(Buffer.from(derB64, 'base64')).toString());
  const { stdout } = await run('openssl', [
    ...['verify', '-x509_strict', '-CAfile', trust.anchorsPem],
    ...['-untrusted', trust.intermediatesPem, path],
  ]);
  expect(stdout.trim()).to.equal(`${path}: OK`);
  return (await run('openssl', ['x509', '-in', path, '-noout', '-text', '-nameopt', 'utf8']))
    .stdout;
}

/** `openssl pkeyutl -verify` of a signature over a digest; the certificate was written by {@link verifiedText}. */
async function verifyWithOpenssl({ directory }: Sealing, digest: Buffer, signatureB64: string) {
  const at = (name: string) => join(directory, name);
  await writeFile(at('digest'), digest);
  await writeFile(at('signature'), Buffer.from(signatureB64, 'base64'));
  const { stdout } = await run('openssl', [
    ...['pkeyutl', '-verify', '-certin', '-inkey', at('seal.pem')],
    ...['-in', at('digest'), '-sigfile', at('signature')],
  ]);
  expect(stdout.trim()).to.equal('Signature Verified Successfully');
}

for (const kind of ['software keys', 'a PKCS#11 token'] as const) {
  describe(`Seals over HTTP, with ${kind}`, function () {
    this.timeout(60_000);
    let token: TemporaryToken | null = null;
    let sealing: Sealing;
    const level = kind === 'software keys' ? 'QUALIFIED' : 'QSCD';

    before(async function () {
      if (kind === 'software keys') {
        sealing = await startSealing();
        return;
      }
      if (softHsmModule === null) {
        console.log('skipped: SoftHSM2 is not installed');
        this.skip();
      }
      token = await createTemporaryToken(softHsmModule);
      sealing = await startSealing({
        SVC_SEAL_QSCD: 'true',
        SVC_PKCS11_MODULE: token.modulePath,
        SVC_PKCS11_TOKEN: token.tokenLabel,
        SVC_PKCS11_PIN: token.pin,
      });
    });

    after(async () => {
      await sealing.stop();
      await token?.remove();
    });

    it('are those of a certificate openssl leads to the Organization CA, of the profile for the level', async () => {
      await sealing.prepareSealing(etsi);
      const issued = await sealing.client.seal.certificate(etsi);
      expect(issued.certificateLevel).to.equal(level);
      const shown = await verifiedText(sealing, issued.certificateDerB64);
      expect(shown).to.match(/Issuer: .*CN=Tamga Organization Issuing CA\n/);
      expect(shown).to.match(/X509v3 Key Usage: critical\n\s+Non Repudiation\n/);
      expect(shown).not.to.include('Extended Key Usage');
      expect(shown).to.include(`Policy: 0.4.0.194112.1.${level === 'QSCD' ? 3 : 1}\n`);
      expect(shown).to.include('qcStatements');
      const der = Buffer.from(issued.certificateDerB64, 'base64');
      expect(der.includes(Buffer.from('04008e460104', 'hex')), 'QcSSCD').to.equal(level === 'QSCD');
    });

    for (const [hash, algorithm] of [
      ['sha256', 'ecdsa-with-SHA256'],
      ['sha384', 'ecdsa-with-SHA384'],
      ['sha512', 'ecdsa-with-SHA512'],
    ] as const) {
      it(`verify with openssl over a ${hash} digest`, async () => {
        const digest = createHash(hash).update('a document').digest();
        const sealed = await sealing.client.seal.digest(etsi, digest.toString('base64'));
        expect(sealed).to.include({ signatureAlgorithm: algorithm, certificateLevel: level });
        await verifyWithOpenssl(sealing, digest, sealed.signatureValueB64);
      });
    }

    it('are believed by the library for their digest and organization alone', async () => {
      const { client, trust } = sealing;
      const validator = new ResponseValidator({
        trustAnchorsPem: await readFile(trust.anchorsPem, 'utf8'),
        intermediatesPem: [await readFile(trust.intermediatesPem, 'utf8')],
      });
      const [digest, other] = [randomBytes(32), randomBytes(32)].map((one) =>
        one.toString('base64'),
      ) as [string, string];
      const seal = await client.seal.digest(etsi, digest);
      const believed = validator.validateSeal(seal, digest, etsi.toLowerCase());
      expect(believed.certificateLevel).to.equal(level);
      expect(believed.subject.organizationIdentifier).to.equal(etsi);
      const longer = randomBytes(48).toString('base64');
      const foreign = (await client.seal.digest(etsi, other)).signatureValueB64;
      for (const [code, attempt] of [
        ['SIGNATURE_INVALID', () => validator.validateSeal(seal, other, etsi)],
        [
          'SIGNATURE_INVALID',
          () => validator.validateSeal({ ...seal, signatureValueB64: foreign }, digest, etsi),
        ],
        ['ORGANIZATION_MISMATCH', () => validator.validateSeal(seal, digest, 'NTRMN-5123457')],
        ['ALGORITHM_UNSUPPORTED', () => validator.validateSeal(seal, longer, etsi)],
        ['INPUT_INVALID', () => validator.validateSeal(seal, 'AAAA', etsi)],
        ['NO_TRUST_ANCHOR', () => new ResponseValidator().validateSeal(seal, digest, etsi)],
      ] as const) {
        expect(attempt).to.throw(ValidationError).with.property('code', code);
      }
    });

    it('can be put into a PDF, which keeps its bytes and shows a valid signature', async () => {
      const original = onePage();
      const { service, credentials, directory } = sealing;
      const answer = await fetch(`${service.origin}/v3/seal/${etsi}/pdf?fileName=contract.pdf`, {
        method: 'POST',
        headers: { authorization: `Bearer ${credentials.apiSecret}` },
        body: original,
      });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('application/pdf');
      const pdf = Buffer.from(await answer.arrayBuffer());
      const path = await expectSound(directory, pdf, { original, signatures: 1, newPages: 1 });
      if (isInstalled('pdftotext')) {
        const { stdout } = await run('pdftotext', ['-layout', path, '-']);
        expect(stdout).to.include('Тамга дарсан').and.to.include('Sealed by').and.to.include(etsi);
        expect(stdout).not.to.include('Signed').and.not.to.include('citizen');
      }
    });

    it('in a PDF are valid for the long term before pyHanko', async function () {
      const pyHanko = await pythonPackage('pyHanko');
      if (typeof pyHanko === 'string') {
        console.log(`      ${pyHanko}: skipped`);
        this.skip();
      }
      const { client, directory, trust } = sealing;
      const path = join(directory, 'sealed.pdf');
      await writeFile(path, await client.seal.pdf(etsi, onePage()));
      const { stdout } = await run(pyHanko.python, [
        ...['test/support/programs/python/validatePdf.py', trust.anchorsPem, path],
      ]);
      expect(JSON.parse(stdout)).to.deep.include({
        bottomLine: true,
        trusted: true,
        timestamped: true,
        subfilter: '/ETSI.CAdES.detached',
      });
    });

    it('are those of an organization with a Cyrillic register, too, however it is written', async () => {
      const { organizations, client } = sealing;
      await organizations.register('УБ5123456');
      await sealing.prepareSealing('NTRMN-уб5123456');
      const { subjectDn } = await client.seal.certificate('NTRMN-уб5123456');
      expect(subjectDn).to.include('serialNumber=UB5123456').and.to.include('NTRMN-УБ5123456');
      const digest = createHash('sha256').update('a document').digest();
      const sealed = await client.seal.digest('уб5123456', digest.toString('base64'));
      const shown = await verifiedText(sealing, sealed.certificateDerB64);
      expect(shown).to.match(/Subject: .*serialNumber=UB5123456/);
      expect(shown).to.match(/Subject: .*(organizationIdentifier|2\.5\.4\.97)=NTRMN-УБ5123456/);
      await verifyWithOpenssl(sealing, digest, sealed.signatureValueB64);
    });

    it('stop with a suspension and go on with its end', async () => {
      const { organizations, client } = sealing;
      const digest = randomBytes(32).toString('base64');
      await organizations.change(register, 'SuspendOrganization');
      const refused = await client.seal.digest(etsi, digest).catch((error: unknown) => error);
      expect(refused).to.include({ status: 409 });
      expect(refused).to.have.nested.property('body.code', 'ORG_NOT_ACTIVE');
      await organizations.change(register, 'RestoreOrganization');
      await client.seal.digest(etsi, digest);
    });

    it('end with the organization, whose certificates OCSP and the list show revoked', async () => {
      const { organizations, client, service, directory, trust, issuerPem } = sealing;
      const { serialNumber, certificateDerB64 } = await client.seal.certificate(etsi);
      await verifiedText(sealing, certificateDerB64);
      await organizations.change(register, 'RevokeOrganization');
      const seal = join(directory, 'seal.pem');
      await eventually(async () => {
        const { stdout } = await run('openssl', [
          ...['ocsp', '-issuer', issuerPem],
          ...['-cert', seal, '-url', `${service.origin}/ocsp`, '-CAfile', trust.anchorsPem],
          ...['-verify_other', trust.intermediatesPem],
        ]);
        expect(stdout).to.include('revoked');
      }, 20_000);
      await eventually(async () => {
        const list = await fetch(`${service.origin}/crl/org`);
        const der = Buffer.from(await list.arrayBuffer());
        expect(der.includes(Buffer.from(serialNumber, 'hex'))).to.equal(true);
      }, 20_000);
    });
  });
}

describe('Seals while the service is killed', function () {
  this.timeout(90_000);
  let sealing: Sealing;
  let database: pg.Client;

  before(async () => {
    sealing = await startSealing();
    database = new pg.Client(sealing.settings.SVC_DATABASE_URL);
    await database.connect();
  });

  after(async () => {
    await database.end();
    await sealing.stop();
  });

  it('have their event in the log, every one that was answered', async () => {
    const { settings, credentials } = sealing;
    await sealing.prepareSealing(etsi);
    await sealing.service.stop();
    const service = await createServiceProcess(settings);
    await service.start();
    const answered: string[] = [];
    const over = new AbortController();
    setMaxListeners(0, over.signal);
    const caller = async () => {
      while (!over.signal.aborted) {
        const answer = await call(`${service.origin}/v3/seal/${etsi}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${credentials.apiSecret}` },
          body: { digest: randomBytes(32).toString('base64') },
        }).catch(() => null);
        if (answer?.status === 200) {
          answered.push((answer.body['signature'] as { value: string }).value);
        }
        // Nobody is there at the moment.
        if (answer === null) await pause(250, over.signal);
      }
    };
    const callers = Array.from({ length: 16 }, caller);
    for (let kills = 0; kills < 2; kills += 1) {
      if (kills > 0) await service.start();
      const before = answered.length;
      await eventually(() => expect(answered.length).to.be.greaterThan(before + 100), 20_000);
      await service.kill();
    }
    over.abort();
    await Promise.all(callers);

    const { rows } = await database.query<{ data: string }>(
      'select data from event where stream = $1 and type = $2',
      [`seal-${register}`, 'DocumentSealed'],
    );
    const recorded = new Set(
      rows.map(({ data }) => (JSON.parse(data) as { signature: string }).signature),
    );
    expect(answered.filter((signature) => !recorded.has(signature))).to.deep.equal([]);
    expect(answered.length).to.be.greaterThan(200);
  });
});

describe('A service that is to seal with a qualified device', () => {
  it('does not start without one, and says why', () => {
    const settings = { SVC_DATABASE_URL: 'postgres://127.0.0.1:1/none', SVC_SEAL_QSCD: 'true' };
    expect(() => createServiceHere(settings)).to.throw(
      /SVC_SEAL_QSCD: seal keys of a qualified device need a hardware module/,
    );
  });
});
