import { createPublicKey, verify } from 'node:crypto';
import { ecdsaToRaw } from '../pki/kernel/der.ts';
import type { Manifest, ManifestSigner } from './archiveFiles.ts';

/** `typ` of the header: nothing else signed with the key is a JSON Web Signature of this type. */
const TYPE = 'tamga-archive+json';

/** The keys of the audit tree. */
export interface ManifestKeys {
  current(): Promise<ManifestKey>;
  /** Current and former keys. */
  all(): Promise<readonly ManifestKey[]>;
  /** @returns ECDSA-Sig-Value, DER, over the SHA-256 of the message */
  sign(message: Uint8Array): Promise<Buffer>;
}

interface ManifestKey {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  /** DER; null: not issued by the Root CA. */
  readonly certificate: Buffer | null;
}

/**
 * Manifests as JSON Web Signatures (RFC 7515, compact, ES256) with the key that signs the heads of the audit tree; its
 * certificate, issued by the Root CA, is in the header (`x5c`).
 */
export function createManifestSigner(keys: ManifestKeys): ManifestSigner {
  return {
    async sign(manifest) {
      const { certificate } = await keys.current();
      const x5c = certificate === null ? {} : { x5c: [certificate.toString('base64')] };
      const header = { alg: 'ES256', typ: TYPE, ...x5c };
      const signed = `${encoded(header)}.${encoded(manifest)}`;
      const signature = ecdsaToRaw(await keys.sign(Buffer.from(signed)));
      return `${signed}.${signature.toString('base64url')}`;
    },
    async verified(jws) {
      const [header = '', payload = '', signature = ''] = jws.split('.');
      const { alg, typ } = decoded(header) as { readonly alg?: unknown; readonly typ?: unknown };
      if (alg !== 'ES256' || typ !== TYPE) return null;
      const bytes = Buffer.from(`${header}.${payload}`);
      const isBy = ({ publicKey }: { readonly publicKey: Buffer }) =>
        verify(
          'sha256',
          bytes,
          {
            key: createPublicKey({ key: publicKey, format: 'der', type: 'spki' }),
            dsaEncoding: 'ieee-p1363',
          },
          Buffer.from(signature, 'base64url'),
        );
      // A key without a certificate may be a forger's who can write the database.
      const trusted = (await keys.all()).filter(({ certificate }) => certificate !== null);
      return trusted.some(isBy) ? (decoded(payload) as Manifest) : null;
    },
  };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decoded(part: string): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
