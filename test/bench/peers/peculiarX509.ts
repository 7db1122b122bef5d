import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** @peculiar/x509 over Node's own WebCrypto, the usual choice in TypeScript. */
export interface PeculiarX509 {
  /** Parses a certificate and verifies its issuer's signature. */
  verify(certificate: Buffer): Promise<boolean>;
  /** Issues a certificate similar to a citizen's, with fewer extensions. */
  issue(serial: string): Promise<Buffer>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** @param issuer certificate of the CA, DER */
export async function createPeculiarX509(issuer: Buffer): Promise<PeculiarX509> {
  const ca = new x509.X509Certificate(new Uint8Array(issuer));
  const caKey = (await ca.publicKey.export()) as webcrypto.CryptoKey;
  const ownCa = await webcrypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  const holder = await webcrypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  const extensions = [
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.nonRepudiation, true),
    new x509.CertificatePolicyExtension(['0.4.0.194112.1.0']),
    await x509.SubjectKeyIdentifierExtension.create(holder.publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(ownCa.publicKey),
  ];
  return {
    verify(certificate) {
      const parsed = new x509.X509Certificate(new Uint8Array(certificate));
      return parsed.verify({ publicKey: caKey, signatureOnly: true });
    },
    async issue(serial) {
      const issued = await x509.X509CertificateGenerator.create({
        serialNumber: serial,
        subject: '2.5.4.5=PNOMN-123456789012, CN=Бат Дорж, C=MN',
        issuer: 'CN=Issuing CA, O=Tamga, C=MN',
        notBefore: new Date(),
        notAfter: new Date(Date.now() + 86_400_000),
        publicKey: holder.publicKey,
        signingKey: ownCa.privateKey,
        signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
        extensions,
      });
      return Buffer.from(issued.rawData);
    },
  };
}
