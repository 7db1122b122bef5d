import { generateKeyPairSync, verify, X509Certificate } from 'node:crypto';
import type { CertificateAuthority } from '../../../application/ports/certificateAuthority.ts';
import { ResponseValidator } from '../../../client/index.ts';
import { pemOf, prepareOpensslVerify } from '../peers/opensslVerify.ts';
import { createPeculiarX509 } from '../peers/peculiarX509.ts';
import { startBenchAuthority } from '../support/benchAuthority.ts';
import { perCoreSecond } from '../support/coreTime.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { newOrder, type SignedAnswer, signAnswers } from '../support/signedAnswers.ts';

/**
 * P13: cost of the relying parties' library: validation of certificates not seen before; and of
 * issuing them.
 */
export const libraryValidationScenario: Scenario = { id: 'P13', title: 'Library validation', run };

const UNIT = '/s of a core';
/** Certificates issued concurrently: signing runs in the thread pool. */
const ISSUED_AT_ONCE = 16;

async function run(bench: Bench): Promise<readonly Row[]> {
  const authority = await startBenchAuthority();
  const answers = await signAnswers(authority, bench.size(3000, 64));
  const [issuing = Buffer.alloc(0)] = authority.certificates.issuing;
  const certificates = answers.map(({ certificate }) => certificate);
  const peculiar = await createPeculiarX509(issuing);
  const openssl = await prepareOpensslVerify(bench.directory, {
    root: authority.certificates.root,
    issuing,
    leaves: certificates.slice(0, bench.size(1000, 20)),
  });
  if (openssl === null) bench.note('openssl verify left out: no openssl.');
  const milliseconds = bench.size(1500, 100);
  const nth = <Item>(items: readonly Item[], index: number): Item => {
    const item = items[index % items.length];
    if (item === undefined) throw new Error('No answers to validate.');
    return item;
  };
  const only = (kind: SignedAnswer['kind']) => answers.filter((answer) => answer.kind === kind);
  const validations = (some: readonly SignedAnswer[]) => () => {
    const validate = coldValidation(authority, some.length);
    return perCoreSecond(milliseconds, (index) => validate(nth(some, index), index));
  };

  const contestants = {
    both: validations(answers),
    auth: validations(only('AUTH')),
    sign: validations(only('SIGN')),
    native: () => {
      const verifyTwice = twoNativeVerifications(issuing);
      return perCoreSecond(milliseconds, (index) => verifyTwice(nth(answers, index)));
    },
    peculiar: () =>
      perCoreSecond(milliseconds, (index) => peculiar.verify(nth(certificates, index))),
    openssl: () => openssl?.() ?? Promise.resolve(0),
    issued: issuance(authority, milliseconds),
    peculiarIssued: () =>
      perCoreSecond(
        milliseconds,
        (index) => peculiar.issue((index + 0x1000).toString(16)),
        ISSUED_AT_ONCE,
      ),
  };
  for (const warm of Object.values(contestants)) await warm();
  const runs = await interleave(bench.rounds, contestants, bench.progress);

  const subject = measured('validateAuth and validateSign by turns', runs.both);
  bench.note('Per second of processor time, so that other work on the machine does not count.');
  return [
    row('validations, cold leaf', UNIT, {
      subject,
      peer: measured('@peculiar/x509 parse+verify', runs.peculiar),
    }),
    row('validations, cold leaf', UNIT, {
      subject,
      peer: measured('2 native verifications, keys imported', runs.native),
    }),
    ...(openssl === null
      ? []
      : [
          row('validations, cold leaf', UNIT, {
            subject,
            peer: measured('openssl verify, chain only', runs.openssl),
          }),
        ]),
    row(
      'validateAuth, cold leaf',
      UNIT,
      { subject: measured('validateAuth', runs.auth) },
      { floor: { atLeast: 1500 } },
    ),
    // Over a raw P-256 digest, by `@noble/curves` (ADR 11).
    row('validateSign, cold leaf', UNIT, { subject: measured('validateSign', runs.sign) }),
    row(
      'certificates issued',
      UNIT,
      {
        subject: measured('the CA, software keys', runs.issued),
        peer: measured('@peculiar/x509', runs.peculiarIssued),
      },
      { goal: { atLeast: 5 } },
    ),
  ];
}

/** Validates answers without a warm cache: a new validator starts when all answers were used. */
function coldValidation({ certificates: { root, issuing } }: CertificateAuthority, count: number) {
  const trust = { trustAnchorsPem: pemOf(root), intermediatesPem: issuing.map(pemOf) };
  let validator = new ResponseValidator(trust);
  return ({ kind, result, input }: SignedAnswer, index: number): void => {
    if (index % count === 0) validator = new ResponseValidator(trust);
    if (kind === 'AUTH') validator.validateAuth(result, input);
    else validator.validateSign(result, input);
  };
}

/**
 * Lower bound: verifying the CA's signature and the citizen's over a message, with imported keys.
 */
function twoNativeVerifications(issuing: Buffer) {
  const { publicKey: caKey } = new X509Certificate(issuing);
  return ({ certificate, content, publicKey, signature }: SignedAnswer): void => {
    // The cost of verifying does not depend on the signed bytes.
    verify('sha256', certificate, caKey, signature);
    if (!verify('sha256', content, publicKey, signature))
      throw new Error('The signature does not verify.');
  };
}

function issuance(authority: CertificateAuthority, milliseconds: number) {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  return () =>
    perCoreSecond(milliseconds, () => authority.issue(newOrder('SIGN', spki)), ISSUED_AT_ONCE);
}
