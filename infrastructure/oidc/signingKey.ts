import { createPublicKey, type KeyObject } from 'node:crypto';
import type { KeyVault, VaultKey } from '../../application/ports/keyVault.ts';
import { ExternalSigningKey } from './library.ts';
import { ecdsaToRaw } from './rawSignature.ts';

/** The algorithm of all the provider signs (RFC 7518 §3.4): what the key vault makes. */
export const signingAlgorithm = 'ES256';

/** A key of the vault as the library wants it: the private key stays there. A class because the library's is. */
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
