import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { Clock } from '../../../application/ports/clock.ts';
import type { ServiceIdentity } from '../../../application/certificate/ports/serviceIdentities.ts';
import {
  createTimestampAuthority,
  type SignAttributes,
  type TimestampAuthority,
} from '../../../infrastructure/timestamping/timestampAuthority.ts';
import { createTestVault } from '../doubles/memoryPki.ts';
import { systemRandomness, systemClock } from '../../../infrastructure/system.ts';

const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';

/** The policy the test authority issues under. */
export const testTimestampPolicy = '1.3.6.1.4.1.32473.1.4.1';

export interface TestTimestampAuthority {
  readonly authority: TimestampAuthority;
  readonly identity: ServiceIdentity;
  /** Signs with the key of the identity. */
  readonly sign: SignAttributes;
  readonly root: Buffer;
  readonly issuing: Buffer;
  stop(): Promise<void>;
}

export interface TestTimestampOptions {
  readonly clockFault?: () => string | null;
  readonly clock?: Clock;
  /** Extended key usages of the authority's certificate; default: timestamping alone. */
  readonly purposes?: readonly string[];
  readonly isPurposeCritical?: boolean;
}

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A root, an issuing CA and an authority below it, keys in software. */
export async function startTestTimestampAuthority({
  clock = systemClock,
  purposes = [TIME_STAMPING],
  isPurposeCritical = true,
  clockFault = () => null,
}: TestTimestampOptions = {}): Promise<TestTimestampAuthority> {
  x509.cryptoProvider.set(webcrypto);
  const { vault, ecdsaDigests } = createTestVault();
  const { publicKey } = await vault.ensureKey('tsa', 'P-256');
  const newKeys = () => webcrypto.subtle.generateKey(ecdsa, false, ['sign', 'verify']);
  const rootKeys = await newKeys();
  const issuingKeys = await newKeys();
  const now = Date.now();
  const common = {
    notBefore: new Date(now - 3_600_000),
    notAfter: new Date(now + 86_400_000),
    signingAlgorithm: ecdsa,
  };
  const ca = [
    new x509.BasicConstraintsExtension(true, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
  ];
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...common,
    name: 'CN=Timestamp Test Root',
    keys: rootKeys,
    extensions: ca,
  });
  const issuing = await x509.X509CertificateGenerator.create({
    ...common,
    subject: 'CN=Timestamp Test Issuing CA',
    issuer: root.subject,
    publicKey: issuingKeys.publicKey,
    signingKey: rootKeys.privateKey,
    extensions: ca,
  });
  const serial = randomBytes(16);
  serial[0] = 0x40;
  const certificate = await x509.X509CertificateGenerator.create({
    ...common,
    serialNumber: serial.toString('hex'),
    subject: 'CN=Timestamp Test Authority',
    issuer: issuing.subject,
    publicKey: new x509.PublicKey(publicKey),
    signingKey: issuingKeys.privateKey,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([...purposes], isPurposeCritical),
    ],
  });
  const identity: ServiceIdentity = {
    purpose: 'TSA',
    keyLabel: 'tsa',
    keyType: 'P-256',
    serial: serial.toString('hex'),
    certificate: Buffer.from(certificate.rawData),
    chain: [Buffer.from(issuing.rawData), Buffer.from(root.rawData)],
    notBefore: common.notBefore,
    notAfter: common.notAfter,
  };
  return {
    authority: createTimestampAuthority({
      identities: { current: () => identity },
      vault,
      clock,
      randomness: systemRandomness,
      policy: testTimestampPolicy,
      clockFault,
    }),
    identity,
    sign: (message, hash) => vault.sign(identity.keyLabel, message, hash),
    root: Buffer.from(root.rawData),
    issuing: Buffer.from(issuing.rawData),
    stop: () => ecdsaDigests.stop(),
  };
}
