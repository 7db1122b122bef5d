import { createPublicKey, type KeyObject } from 'node:crypto';
import { ExternalSigningKey } from 'oidc-provider';
import type { KeyVault, VaultKey } from '../../application/ports/keyVault.ts';
import { ecdsaToRaw } from './rawSignature.ts';

/** Signature algorithm of the provider (RFC 7518 §3.4), as the key vault supports it. */
export const signingAlgorithm = 'ES256';

/** Adapts a key of the vault to the library: the private key stays there. A class because the library requires one. */
export class VaultSigningKey extends ExternalSigningKey {
  readonly #vault: Pick<KeyVault, 'sign'>;
  readonly #label: string;
  readonly #publicKey: KeyObject;

  constructor(vault: Pick<KeyVault, 'sign'>, { label, publicKey }: VaultKey) {
    super();
    this.#vault = vault;
    this.#label = label;
    this.#publicKey = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
  }

  override keyObject(): KeyObject {
    return this.#publicKey;
  }

  override async sign(data: Uint8Array): Promise<Uint8Array> {
    return ecdsaToRaw(await this.#vault.sign(this.#label, data, 'SHA256'));
  }
}
