import { expect } from 'chai';
import { Misconfigured } from '../../application/ports/faults.ts';
import { createTreeKeys } from '../../application/audit/treeKeys.ts';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import type { IssuingAuthority } from '../../domain/shared/issuingCas.ts';
import { createCertificateAuthority } from '../../infrastructure/pki/certificateAuthority.ts';
import type { KeyPlace } from '../../infrastructure/pki/offlineRootRule.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  createMemoryCaCertificates,
  createTestVault,
  noRevokedIssuers,
} from '../support/doubles/memoryPki.ts';
import { systemRandomness, systemClock } from '../../infrastructure/system.ts';

const clock = systemClock;

describe('A root whose key is offline', () => {
  const { vault, ecdsaDigests } = createTestVault();
  after(() => ecdsaDigests.stop());

  /** A vault as another process has it that was never given the root's key. */
  const online: KeyVault = {
    ...vault,
    findKey: async (label) => (label === 'ca-root' ? null : vault.findKey(label)),
    ensureKey: async (label, type) => {
      if (label === 'ca-root') throw new Error('The root must not be made here.');
      return vault.ensureKey(label, type);
    },
  };

  const authorityOf = (
    keys: KeyVault,
    kept: Map<IssuingAuthority, Buffer>,
    noRootKeyIn?: readonly KeyPlace[],
  ) =>
    createCertificateAuthority({
      revokedIssuers: noRevokedIssuers,
      vault: keys,
      clock,
      randomness: systemRandomness,
      certificates: createMemoryCaCertificates(kept),
      baseUrl: 'http://pki.test',
      ...(noRootKeyIn && { noRootKeyIn }),
    });

  /** Certificates as of a ceremony, here by a vault that has the root's key. */
  async function certified(): Promise<Map<IssuingAuthority, Buffer>> {
    const kept = new Map<IssuingAuthority, Buffer>();
    await authorityOf(vault, kept).start();
    return kept;
  }

  it('serves by the certificates that were installed, and says that it is not here', async () => {
    const kept = await certified();
    const authority = authorityOf(online, kept, [online]);
    await authority.start();
    expect(authority.issuer('root').isOnline).to.equal(false);
    expect(authority.issuer('personal').isOnline).to.equal(true);
    expect(authority.certificates.root.equals(kept.get('root') ?? Buffer.alloc(0))).to.equal(true);
  });

  it('leaves the key of the audit tree without a certificate until one is installed', async () => {
    const authority = authorityOf(online, await certified(), [online]);
    await authority.start();
    const certificates: Buffer[] = [];
    const keys = createTreeKeys({
      store: {
        publicKeys: () => Promise.resolve([]),
        keyCertificates: () => Promise.resolve(certificates),
        keepKeyCertificate: () => Promise.reject(new Error('Nothing is certified here.')),
      },
      keyVault: online,
      authority,
      keyIn: (certificate) => certificate,
      clock,
      randomness: systemRandomness,
    });
    const before = await keys.current();
    expect(before.certificate).to.equal(null);
    certificates.push(before.publicKey);
    expect((await keys.current()).certificate).to.equal(before.publicKey);
  });

  it('is not made, where it must be offline', async () => {
    const refused = await rejection(authorityOf(online, new Map(), [online]).start());
    expect(refused).to.be.instanceOf(Misconfigured);
    expect((refused as Error).message).to.include('There is no Root CA yet');
  });

  it('is refused in any vault of the service', async () => {
    await vault.ensureKey('ca-root', 'P-384');
    const kept = await certified();
    for (const places of [[vault], [online, vault]]) {
      const refused = await rejection(authorityOf(vault, kept, places).start());
      expect(refused).to.be.instanceOf(Misconfigured);
      expect((refused as Error).message).to.include('SVC_ROOT_KEY_ONLINE=true');
    }
  });

  it('is no root that another process makes during the start', async () => {
    const test = createTestVault();
    const kept = new Map<IssuingAuthority, Buffer>();
    const memory = createMemoryCaCertificates(kept);
    const other = authorityOf(test.vault, kept);
    /** The other process starts and ends its start after the first thing this one read. */
    const readFirst = async <Found>(found: Promise<Found>): Promise<Found> => {
      const was = await found;
      await other.start();
      return was;
    };
    const authority = createCertificateAuthority({
      revokedIssuers: noRevokedIssuers,
      vault: { ...test.vault, findKey: (label) => readFirst(test.vault.findKey(label)) },
      clock,
      randomness: systemRandomness,
      certificates: { ...memory, find: (name) => readFirst(memory.find(name)) },
      baseUrl: 'http://pki.test',
    });
    try {
      await authority.start();
    } finally {
      await test.ecdsaDigests.stop();
    }
    expect(authority.issuer('root').isOnline).to.equal(true);
    expect(authority.certificates).to.deep.equal(other.certificates);
  });

  it('is waited for by an authority that it has not certified', async () => {
    const kept = await certified();
    kept.delete('organization');
    const refused = await rejection(authorityOf(online, kept, [online]).start());
    expect(refused).to.be.instanceOf(Misconfigured);
    expect((refused as Error).message).to.include(
      'Tamga Organization Issuing CA has no certificate',
    );
  });
});
