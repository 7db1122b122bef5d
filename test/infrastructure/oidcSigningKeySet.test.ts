import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import { createSoftwareKeyVault } from '../../infrastructure/hsm/softwareKeyVault.ts';
import { ensureProviderKeys } from '../../infrastructure/oidc/signingKeySet.ts';
import { createEcdsaDigestPool } from '../../infrastructure/pki/ecdsaDigestPool.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { createMemorySealedKeys } from '../support/doubles/memoryPki.ts';

const never = (cause: unknown) => {
  throw cause;
};

describe('The key set of the OpenID Connect provider', () => {
  const ecdsaDigests = createEcdsaDigestPool({ threads: 1 });

  after(() => ecdsaDigests.stop());

  it('gets the keys of the other algorithms where there is one of ES256 alone, the same in all processes', async () => {
    const keys = createMemorySealedKeys();
    const masterKey = randomBytes(32);
    const process = () => createSoftwareKeyVault({ keys, masterKey, ecdsaDigests });
    const existing = await process().ensureKey('oidc-1', 'P-256');
    const [here, there] = await Promise.all(
      [process(), process()].map((vault) => ensureProviderKeys(vault, ['oidc-1'], never)),
    );
    expect(here?.map(({ algorithm, type }) => [algorithm, type])).to.deep.equal([
      ['ES256', 'P-256'],
      ['RS256', 'RSA-3072'],
      ['PS256', 'RSA-3072'],
    ]);
    expect(here?.[0]).to.deep.equal({ ...existing, algorithm: 'ES256' });
    expect(here?.[1]?.publicKey).not.to.deep.equal(here?.[2]?.publicKey);
    expect(there).to.deep.equal(here);
  });

  /** A vault in which keys of a type cannot be made. */
  const without = (type: string, fault: Error): Pick<KeyVault, 'ensureKey'> => ({
    ensureKey: (label, wanted) =>
      wanted === type
        ? Promise.reject(fault)
        : Promise.resolve({ label, type: wanted, publicKey: Buffer.alloc(0) }),
  });

  it('leaves out what the vault cannot make, and says so', async () => {
    const fault = new Error('CKR_MECHANISM_INVALID');
    const told: unknown[] = [];
    const keys = await ensureProviderKeys(without('RSA-3072', fault), ['oidc-1'], (cause) =>
      told.push(cause),
    );
    expect(keys.map(({ algorithm }) => algorithm)).to.deep.equal(['ES256']);
    expect(told).to.deep.equal([fault, fault]);
  });

  it('leaves nothing out during an outage, and ES256 never', async () => {
    const outage = new Unavailable('keyVault');
    const set = (type: string, fault: Error) =>
      rejection(ensureProviderKeys(without(type, fault), ['oidc-1'], never));
    expect(await set('RSA-3072', outage)).to.equal(outage);
    const fault = new Error('CKR_MECHANISM_INVALID');
    expect(await set('P-256', fault)).to.equal(fault);
  });
});
