import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { demoCitizens } from '../../main/cli/demo.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  newChallenge,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { type Answer, call } from '../../main/drill/callers.ts';
import { nestedAuthenticationBody, nestedSignatureBody } from '../support/http/nestedRequests.ts';
import { rejection } from '../support/assertions/rejection.ts';

const run = promisify(execFile);

/** The OpenSSL command line: what a relying party without any of our code would check with. */
async function openssl(...parameters: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run('openssl', parameters);
  return stdout + stderr;
}

/** Signed data of an authentication, implemented again from the specification: LP(x) is a 4-byte length and x. */
function authenticationPayload(rpChallenge: string, spki: Buffer): Buffer {
  return Buffer.concat(
    [Buffer.from('ACSP_V2'), Buffer.from(rpChallenge, 'base64'), spki].flatMap((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(part.length);
      return [length, part];
    }),
  );
}

/** Signed data of a nested authentication, likewise: eleven text fields joined by `|`. */
function nestedPayload(
  sent: ReturnType<typeof nestedAuthenticationBody>,
  { body }: Answer,
): Buffer {
  const { signature, interactionTypeUsed } = body as {
    readonly signature: Readonly<Record<string, string>>;
    readonly interactionTypeUsed: string;
  };
  const fields = [
    ...['smart-id', 'ACSP_V2', signature['serverRandom']],
    ...[sent.signatureProtocolParameters.rpChallenge, signature['userChallenge']],
    ...[Buffer.from(sent.relyingPartyName).toString('base64'), ''],
    createHash('sha256').update(sent.interactions).digest('base64'),
    ...[interactionTypeUsed, '', signature['flowType']],
  ];
  return Buffer.from(fields.join('|'));
}

/** A polled answer's certificate, key and signature as files. */
async function filesOf(directory: string, { body }: Answer) {
  const { cert, signature } = body as {
    readonly cert: { readonly value: string };
    readonly signature: { readonly value: string };
  };
  const path = (name: string) => join(directory, `${randomBytes(4).toString('hex')}-${name}`);
  const files = { certificate: path('cert.pem'), key: path('key.pem'), signature: path('sig') };
  const der = path('cert.der');
  await writeFile(der, Buffer.from(cert.value, 'base64'));
  await writeFile(files.signature, Buffer.from(signature.value, 'base64'));
  await openssl('x509', '-inform', 'der', '-in', der, '-out', files.certificate);
  await writeFile(files.key, await openssl('x509', '-in', files.certificate, '-pubkey', '-noout'));
  return files;
}

/** The registered name of the demo's relying party. */
const named = { relyingPartyName: 'Tamga Demo' };

describe('OpenSSL alone', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let announced: readonly string[];
  let stop = (): Promise<void> => Promise.resolve();
  let trust: Awaited<ReturnType<DemoInstallation['service']['writeTrustFiles']>>;

  before(async function () {
    const isThere = await openssl('version').catch(() => null);
    if (isThere === null) {
      console.log('    openssl is missing (package openssl): skipped');
      this.skip();
    }
    demo = await startDemoInstallation();
    stop = () => demo.stop();
    trust = await demo.service.writeTrustFiles(demo.directory);
    const discovery = await call(`${demo.service.origin}/.well-known/eid`);
    announced = discovery.body['signatureAlgorithms'] as readonly string[];
  });

  after(() => stop());

  async function writeInput(name: string, content: Buffer): Promise<string> {
    const path = join(demo.directory, name);
    await writeFile(path, content);
    return path;
  }

  const verifyChain = (certificate: string, ...more: readonly string[]) =>
    openssl(
      ...['verify', '-x509_strict', '-CAfile', trust.anchorsPem],
      ...['-untrusted', trust.intermediatesPem, ...more, certificate],
    );

  for (const { civilId, keyType } of demoCitizens.slice(0, 2)) {
    describe(`with a citizen's ${keyType} keys`, () => {
      let owner: DemoPhone;

      before(async () => {
        owner = await demo.enrol(civilId);
      });

      async function answered(path: string, fields: object): Promise<Answer> {
        const { status, body } = await demo.create(path, fields);
        expect(status).to.equal(200);
        const { phone, pin1, pin2 } = owner;
        const request = await phone.open(String(body['sessionID']));
        await phone.confirm(request, request.pin === 'PIN1' ? pin1 : pin2);
        return demo.poll(body['sessionID']);
      }

      it('accepts the chain and the signature of an authentication, and no other payload', async () => {
        const { rpChallenge } = newChallenge();
        const answer = await answered(`/authentication/notification/etsi/PNOMN-${civilId}`, {
          rpChallenge,
        });
        const { certificate, key, signature } = await filesOf(demo.directory, answer);
        expect(await verifyChain(certificate)).to.contain(`${certificate}: OK`);

        const spkiFile = join(demo.directory, `${keyType}.spki`);
        await openssl(...['pkey', '-pubin', '-in', key, '-outform', 'der', '-out', spkiFile]);
        const spki = await readFile(spkiFile);
        const verify = async (payload: Buffer) =>
          openssl(
            ...['dgst', '-sha256', '-verify', key, '-signature', signature],
            await writeInput(`${keyType}.payload`, payload),
          );
        const payload = authenticationPayload(rpChallenge, spki);
        expect(await verify(payload)).to.contain('Verified OK');
        await rejection(verify(authenticationPayload(newChallenge().rpChallenge, spki)));
        await rejection(verify(Buffer.from(rpChallenge, 'base64')));
      });

      for (const [hashType, algorithm] of [
        ['SHA256', 'sha256'],
        ['SHA384', 'sha384'],
        ['SHA512', 'sha512'],
      ] as const) {
        it(`accepts the signature over a ${hashType} digest, not hashed again`, async () => {
          const content = randomBytes(1000);
          const digest = createHash(algorithm).update(content).digest();
          const answer = await answered(`/signature/notification/etsi/${civilId}`, {
            digest: digest.toString('base64'),
            hashType,
          });
          const { signatureAlgorithm } = answer.body['signature'] as Record<string, unknown>;
          expect(announced).to.include(signatureAlgorithm);
          const { certificate, key, signature } = await filesOf(demo.directory, answer);
          expect(await verifyChain(certificate)).to.contain(`${certificate}: OK`);
          const verifyDigest = async (input: Buffer) =>
            openssl(
              ...['pkeyutl', '-verify', '-pubin', '-inkey', key, '-sigfile', signature],
              ...(keyType === 'RSA' ? ['-pkeyopt', `digest:${algorithm}`] : []),
              ...['-in', await writeInput(`${keyType}.digest`, input)],
            );
          expect(await verifyDigest(digest)).to.contain('Signature Verified Successfully');
          await rejection(verifyDigest(createHash(algorithm).update('other').digest()));
          const whole = await openssl(
            ...['dgst', `-${algorithm}`, '-verify', key, '-signature', signature],
            await writeInput(`${keyType}.content`, content),
          );
          expect(whole, 'as a signature over the whole document').to.contain('Verified OK');
        });
      }

      const isRsa = keyType === 'RSA';
      for (const [signatureAlgorithm, hashAlgorithm, name] of [
        ['rsassa-pss', 'SHA-512', 'sha512'],
        ['rsassa-pss', 'SHA3-256', 'sha3-256'],
        ['sha384WithRSAEncryption', 'SHA-384', 'sha384'],
      ] as const) {
        const padding =
          isRsa && signatureAlgorithm === 'rsassa-pss'
            ? (['rsa_padding_mode:pss', 'rsa_pss_saltlen:digest'] as const)
            : [];

        it(`accepts a nested authentication asked for with ${signatureAlgorithm} and ${hashAlgorithm}`, async () => {
          const asked = { signatureAlgorithm, hashAlgorithm };
          const sent = nestedAuthenticationBody(demo.relyingPartyId, asked, named);
          const answer = await answered(`/authentication/notification/etsi/${civilId}`, sent);
          const { signatureAlgorithm: used } = answer.body['signature'] as Record<string, unknown>;
          expect(used).to.equal(isRsa ? signatureAlgorithm : 'ecdsa-with-SHA256');
          expect(announced).to.include(used);
          const { certificate, key, signature } = await filesOf(demo.directory, answer);
          expect(await verifyChain(certificate)).to.contain(`${certificate}: OK`);
          const verify = async (payload: Buffer) =>
            openssl(
              ...['dgst', isRsa ? `-${name}` : '-sha256', '-verify', key, '-signature', signature],
              ...padding.flatMap((option) => ['-sigopt', option]),
              await writeInput(`${keyType}.nested`, payload),
            );
          expect(await verify(nestedPayload(sent, answer))).to.contain('Verified OK');
          const another = nestedAuthenticationBody(demo.relyingPartyId, {}, named);
          await rejection(verify(nestedPayload(another, answer)));
        });

        it(`accepts a nested signature asked for with ${signatureAlgorithm} and ${hashAlgorithm}`, async () => {
          const content = randomBytes(1000);
          const digest = createHash(name).update(content).digest();
          const asked = {
            signatureAlgorithm,
            hashAlgorithm,
            digest: digest.toString('base64'),
          };
          const answer = await answered(
            `/signature/notification/etsi/${civilId}`,
            nestedSignatureBody(demo.relyingPartyId, asked, named),
          );
          const { signatureAlgorithm: used } = answer.body['signature'] as Record<string, unknown>;
          expect(announced).to.include(used);
          const { key, signature } = await filesOf(demo.directory, answer);
          const options = isRsa ? [...padding, `digest:${name}`] : [];
          const verifyDigest = async (input: Buffer) =>
            openssl(
              ...['pkeyutl', '-verify', '-pubin', '-inkey', key, '-sigfile', signature],
              ...options.flatMap((option) => ['-pkeyopt', option]),
              ...['-in', await writeInput(`${keyType}.nestedDigest`, input)],
            );
          expect(await verifyDigest(digest)).to.contain('Signature Verified Successfully');
          await rejection(verifyDigest(createHash(name).update('other').digest()));
          const whole = await openssl(
            ...['dgst', `-${name}`, '-verify', key, '-signature', signature],
            ...padding.flatMap((option) => ['-sigopt', option]),
            await writeInput(`${keyType}.content`, content),
          );
          expect(whole, 'as a signature over the whole document').to.contain('Verified OK');
        });
      }

      it('refuses the chain without the intermediates, and as a server certificate', async () => {
        const answer = await answered(`/authentication/notification/etsi/PNOMN-${civilId}`, {
          ...newChallenge(),
        });
        const { certificate } = await filesOf(demo.directory, answer);
        await rejection(openssl('verify', '-CAfile', trust.anchorsPem, certificate));
        await rejection(verifyChain(certificate, '-purpose', 'sslserver'));
      });
    });
  }
});
