import { soleWrappingKey } from '../../infrastructure/codec/wrappingKeys.ts';
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import { createSoftwareKeyVault } from '../../infrastructure/hsm/softwareKeyVault.ts';
import { ensureProviderKeys } from '../../infrastructure/oidc/signingKeySet.ts';
import { createEcdsaDigestPool } from '../../infrastructure/pki/ecdsaDigestPool.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { createMemoryEncryptedKeys } from '../support/doubles/memoryPki.ts';

describe('The key set of the OpenID Connect provider', () => {
  const ecdsaDigests = createEcdsaDigestPool({ threads: 1 });

  after(() => ecdsaDigests.stop());

  it('gets the keys of the other algorithms where there is one of ES256 alone, the same in all processes', async () => {
    const keys = createMemoryEncryptedKeys();
    const wrapping = soleWrappingKey(randomBytes(32));
    const process = () => createSoftwareKeyVault({ keys, wrapping, ecdsaDigests });
    const existing = await process().ensureKey('oidc-1', 'P-256');
    const [here, there] = await Promise.all(
      [process(), process()].map((vault) => ensureProviderKeys(vault, ['oidc-1'])),
    );
    expect(here?.keys.map(({ algorithm, type }) => [algorithm, type])).to.deep.equal([
      ['ES256', 'P-256'],
      ['RS256', 'RSA-3072'],
      ['PS256', 'RSA-3072'],
      ['EdDSA', 'Ed25519'],
    ]);
    expect(here?.keys[0]).to.deep.equal({ ...existing, algorithm: 'ES256' });
    expect(here?.keys[1]?.publicKey).not.to.deep.equal(here?.keys[2]?.publicKey);
    expect(here?.leftOut).to.deep.equal([]);
    expect(there).to.deep.equal(here);
  });

  /** A vault in which keys of a type cannot be made. */
  const without = (type: string, fault: Error) => ({
    ensureKey: ((label, wanted) =>
      wanted === type
        ? Promise.reject(fault)
        : Promise.resolve({
            label,
            type: wanted,
            publicKey: Buffer.alloc(0),
          })) as KeyVault['ensureKey'],
  });

  for (const fault of [new Error('CKR_MECHANISM_INVALID'), new Unavailable('keyVault')]) {
    it(`leaves out keys of RSA that the vault does not make (${fault.message}), and says which`, async () => {
      const { keys, leftOut } = await ensureProviderKeys(without('RSA-3072', fault), [
        'oidc-2',
        'oidc-1',
      ]);
      expect(keys.map(({ label }) => label)).to.deep.equal([
        ...['oidc-2', 'oidc-2-eddsa', 'oidc-1', 'oidc-1-eddsa'],
      ]);
      expect(leftOut).to.deep.equal([
        { label: 'oidc-2-rs256', cause: fault },
        { label: 'oidc-2-ps256', cause: fault },
      ]);
    });
  }

  it('goes on without EdDSA where a token has no Ed25519', async () => {
    const fault = new Error('CKR_MECHANISM_INVALID');
    const { keys, leftOut } = await ensureProviderKeys(without('Ed25519', fault), ['oidc-1']);
    expect(keys.map(({ algorithm }) => algorithm)).to.deep.equal(['ES256', 'RS256', 'PS256']);
    expect(leftOut).to.deep.equal([{ label: 'oidc-1-eddsa', cause: fault }]);
  });

  it('offers no algorithm by the key of a former period alone', async () => {
    const vault = without('RSA-3072', new Error('CKR_FUNCTION_FAILED'));
    const { ensureKey } = vault;
    vault.ensureKey = (label, type) =>
      label === 'oidc-1-rs256'
        ? Promise.resolve({ label, type, publicKey: Buffer.alloc(0) })
        : ensureKey(label, type);
    const { keys } = await ensureProviderKeys(vault, ['oidc-2', 'oidc-1']);
    expect(keys.map(({ algorithm }) => algorithm)).to.deep.equal([
      'ES256',
      'EdDSA',
      'ES256',
      'EdDSA',
    ]);
  });

  it('never leaves out a key of ES256', async () => {
    const fault = new Unavailable('keyVault');
    const made = ensureProviderKeys(without('P-256', fault), ['oidc-1']);
    expect(await rejection(made)).to.equal(fault);
  });
});
