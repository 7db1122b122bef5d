import { createPrivateKey, type KeyObject, privateEncrypt, constants } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import type { Issuer } from '../../../application/ports/certificateAuthority.ts';
import type { KeyVault } from '../../../application/ports/keyVault.ts';
import type {
  DocumentSigner,
  PdfStamping,
  SignedSession,
} from '../../../application/ports/pdfStamping.ts';
import type { RevocationEvidence } from '../../../infrastructure/pki/revocationEvidence.ts';
import { sha256 } from '../../../domain/shared/digest.ts';
import { certificateFields } from '../../../infrastructure/pki/kernel/certificate.ts';
import {
  derExplicit,
  derOctetString,
  derOid,
  derSequence,
  derTime,
  derUnsigned,
  derBitString,
  derValue,
} from '../../../infrastructure/pki/kernel/der.ts';
import type { IssuingCa } from '../../../domain/shared/issuingCas.ts';
import type { CertificateAuthorityOptions } from '../../../infrastructure/pki/certificateAuthority.ts';
import { oid } from '../../../infrastructure/pki/kernel/oids.ts';
import { signatureSuites } from '../../../infrastructure/pki/profiles.ts';
import { createPdfPool, type PdfPoolOptions } from '../../../infrastructure/pdf/pdfPool.ts';
import { createPdfStamping } from '../../../infrastructure/pdf/pdfStamping.ts';
import { createTimestampAuthority } from '../../../infrastructure/timestamping/timestampAuthority.ts';
import { manualClock } from '../doubles/memoryPorts.ts';
import { givenInMemory } from '../given/inMemory.ts';
import { ecKey, newSerial, order, rsaKey, type TestKey } from '../pki/pkiFixtures.ts';

/** A citizen with a key, for stamps. */
export interface TestSigner {
  readonly signer: DocumentSigner;
  readonly privateKey: KeyObject;
  /** Signs a SHA-256 digest as phones do. */
  sign(digest: Buffer): { readonly signature: Buffer; readonly signatureAlgorithm: string };
}

export interface PdfWorld {
  readonly stamping: PdfStamping;
  readonly root: Buffer;
  readonly certificates: readonly Buffer[];
  newSigner(
    keyType: 'P-256' | 'RSA',
    changes?: Partial<DocumentSigner>,
    issuer?: IssuingCa,
  ): Promise<TestSigner>;
  /** A session in which `signer` signed `digest`. */
  signed(
    signer: TestSigner,
    digest: Buffer,
    changes?: Partial<SignedSession>,
  ): Promise<SignedSession>;
  stop(): Promise<void>;
}

/** Stamping on software keys in memory, with real certificates, timestamps and revocation data. */
export async function startPdfWorld(
  options: PdfPoolOptions = {},
  pki: Partial<CertificateAuthorityOptions> = {},
): Promise<PdfWorld> {
  const world = givenInMemory({ clock: () => manualClock(null) });
  const { clock, randomness } = world;
  const { authority, vault } = await world.startPki(pki);
  const issuers = new Map<string, IssuingCa>();
  const identities = await world.startIdentities();
  const timestamping = createTimestampAuthority({
    identities,
    vault,
    clock,
    randomness,
    policy: '1.3.6.1.4.1.32473.1.4.1',
  });
  const responder = await world.startResponder({
    identities,
    statuses: {
      // Nothing here is ever revoked.
      statuses: (serials) =>
        Promise.resolve(
          serials.map((serial) => ({
            serial,
            revocation: null,
            authority: issuers.get(serial) ?? 'organization',
          })),
        ),
    },
  });
  const evidence: RevocationEvidence = {
    ocspResponse: (issuer, serial) => responder.ocspResponse(issuer, serial),
    crl: (issuer) => emptyCrl(authority.issuer(issuer), vault),
  };
  const pool = createPdfPool(options);
  const stamping = createPdfStamping({
    pool,
    vault,
    timestamping,
    clock,
    identities,
    evidence,
    authority,
    operator: 'Tamga',
    verifyBase: 'https://verify.test',
  });

  async function newSigner(
    keyType: 'P-256' | 'RSA',
    changes: Partial<DocumentSigner> = {},
    issuer: IssuingCa = 'personal',
  ) {
    const key = keyType === 'P-256' ? ecKey() : rsaKey();
    const serial = newSerial();
    issuers.set(serial, issuer);
    const certificate = await authority.issue(
      order(key.publicKey, { keyType, serial, authority: issuer }),
    );
    return {
      signer: {
        surname: 'Дорж',
        givenName: 'Өлзий',
        surnameLatin: 'Dorj',
        givenNameLatin: 'Ulzii',
        organization: null,
        certificate,
        certificateSerial: serial,
        certificateLevel: 'QUALIFIED',
        ...changes,
      },
      privateKey: key.privateKey,
      sign: keyType === 'P-256' ? ecdsaSigner(key) : rsaSigner(key),
    };
  }

  async function signed(
    { signer, sign }: TestSigner,
    digest: Buffer,
    changes: Partial<SignedSession> = {},
  ): Promise<SignedSession> {
    const made = sign(digest);
    return {
      sessionId: randomness.uuid(),
      relyingPartyName: 'Хаан Банк',
      signer,
      digest,
      hash: 'SHA256',
      pss: null,
      completedAt: new Date().toISOString(),
      ...made,
      timestampToken: await timestamping.timestamp(sha256(made.signature), 'SHA256'),
      ...changes,
    };
  }

  return {
    stamping,
    newSigner,
    signed,
    root: authority.certificates.root,
    certificates: authority.certificates.issuing,
    stop: async () => {
      await pool.stop();
      await world.stop();
    },
  };
}

function ecdsaSigner({ privateKey }: TestKey): TestSigner['sign'] {
  const { d = '' } = privateKey.export({ format: 'jwk' });
  const scalar = Buffer.from(d, 'base64url');
  return (digest) => ({
    signature: Buffer.from(p256.sign(digest, scalar, { prehash: false, format: 'der' })),
    signatureAlgorithm: 'ecdsa-with-SHA256',
  });
}

/** DigestInfo of SHA-256 (RFC 8017 §9.2), before the digest. */
const SHA256_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex');

function rsaSigner({ privateKey }: TestKey): TestSigner['sign'] {
  const key = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return (digest) => ({
    signature: privateEncrypt(
      { key, padding: constants.RSA_PKCS1_PADDING },
      Buffer.concat([SHA256_INFO, digest]),
    ),
    signatureAlgorithm: 'sha256WithRSAEncryption',
  });
}

const crlNumber = derOid('2.5.29.20');
const authorityKeyIdentifier = derOid(oid.authorityKeyIdentifier);

/** A CertificateList without entries (RFC 5280 §5.1). */
async function emptyCrl(issuer: Issuer, vault: KeyVault): Promise<Buffer> {
  const { hash, algorithm } = signatureSuites[issuer.keyType];
  const { subject, extensions } = certificateFields(issuer.certificate);
  const keyId = extensions.get(oid.subjectKeyIdentifier)?.value ?? Buffer.alloc(0);
  const now = Date.now();
  const list = derSequence(
    derUnsigned(Buffer.from([1])),
    derSequence(derOid(algorithm)),
    subject,
    derTime(new Date(now - 60_000)),
    derTime(new Date(now + 86_400_000)),
    derExplicit(
      0,
      derSequence(
        derSequence(
          authorityKeyIdentifier,
          derOctetString(derSequence(derValue(0x80, keyId.subarray(2)))),
        ),
        derSequence(crlNumber, derOctetString(derUnsigned(Buffer.from([1])))),
      ),
    ),
  );
  const signature = await vault.sign(issuer.keyLabel, list, hash);
  return derSequence(list, derSequence(derOid(algorithm)), derBitString(signature));
}
