import { createPublicKey, type KeyObject } from 'node:crypto';
import { ExternalSigningKey } from 'oidc-provider';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import { ecdsaToRaw } from '../pki/kernel/der.ts';
import type { ProviderKey } from './signingKeySet.ts';

/** Adapts a key of the vault to the library: the private key stays there. A class because the library requires one. */
export class VaultSigningKey extends ExternalSigningKey {
  readonly #vault: Pick<KeyVault, 'sign'>;
  readonly #key: ProviderKey;
  readonly #publicKey: KeyObject;

  constructor(vault: Pick<KeyVault, 'sign'>, key: ProviderKey) {
    super();
    this.#vault = vault;
    this.#key = key;
    this.#publicKey = createPublicKey({ key: key.publicKey, format: 'der', type: 'spki' });
  }

  override get alg(): string {
    return this.#key.algorithm;
  }

  override keyObject(): KeyObject {
    return this.#publicKey;
  }

  override async sign(data: Uint8Array): Promise<Uint8Array> {
    const { label, algorithm } = this.#key;
    const padding = algorithm === 'PS256' ? 'PSS' : 'PKCS1';
    const signature = await this.#vault.sign(label, data, 'SHA256', padding);
    return algorithm === 'ES256' ? ecdsaToRaw(signature) : signature;
  }

  /** Signs a JWT of this type (RFC 7515 §4.1.9), named by the `kid` under which the library publishes the key. */
  async jwt(typ: string, claims: object): Promise<string> {
    const { kid } = this as { readonly kid?: string };
    const parts = [{ alg: this.alg, typ, kid }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const signature = await this.sign(Buffer.from(parts.join('.')));
    return [...parts, Buffer.from(signature).toString('base64url')].join('.');
  }
}
