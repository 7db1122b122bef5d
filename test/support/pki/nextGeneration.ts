import type {
  CertificateAuthority,
  CertificateOrder,
} from '../../../application/ports/certificateAuthority.ts';
import type { IssuingAuthority, IssuingCa } from '../../../domain/shared/issuingCas.ts';
import { caKeyLabel, createCaIssuing } from '../../../infrastructure/pki/caIssuing.ts';
import { systemClock, systemRandomness } from '../../../infrastructure/system.ts';
import {
  createMemoryCaCertificates,
  startTestAuthority,
  type TestAuthority,
} from '../doubles/memoryPki.ts';

/** Base address in the certificates of every test authority. */
const baseUrl = 'http://pki.test';

/**
 * Certifies another generation of an issuing CA, as a ceremony does; an authority knows it from its next start on.
 *
 * @param kept certificates of the CAs, to which it is added
 */
export async function certifyGeneration(
  name: IssuingCa,
  { authority, vault }: Pick<TestAuthority, 'authority' | 'vault'>,
  kept: Map<IssuingAuthority, Buffer>,
): Promise<void> {
  const ports = { vault, clock: systemClock, randomness: systemRandomness };
  const issuing = createCaIssuing({ ...ports, baseUrl });
  const { certificate, keyLabel, keyType } = authority.issuer('root');
  const { publicKey: rootKey } = await vault.ensureKey(keyLabel, keyType);
  const root = issuing.issuerOf('root', certificate, rootKey, issuing.keyOf('root', rootKey));
  const { publicKey } = await vault.ensureKey(caKeyLabel(name), 'P-256');
  kept.set(name, await issuing.issueCa(name, publicKey, issuing.keyOf(name, publicKey), root));
}

/**
 * An authority of two generations of Organization CAs, of which the first issues until the test has the root revoke it:
 * then none does, until the test activates the second.
 */
export async function startTwoGenerations() {
  const kept = new Map<IssuingAuthority, Buffer>();
  const certificates = createMemoryCaCertificates(kept);
  const first = await startTestAuthority({ certificates });
  await certifyGeneration('organization-2', first, kept);
  const state = { isRevoked: false, isNextActive: false };
  const { vault } = first;
  const { authority, ...rest } = await startTestAuthority({
    vault,
    certificates,
    activated: (kind) =>
      Promise.resolve(kind === 'organization' && state.isNextActive ? ['organization-2'] : []),
    revokedIssuers: {
      of: (der) =>
        Promise.resolve(
          state.isRevoked && kept.get('organization')?.equals(der) === true
            ? { reason: 1, revokedAt: new Date() }
            : null,
        ),
    },
  });
  return {
    ...rest,
    authority,
    /** The authority in a process that ends before the first Organization CA signs a certificate of this type. */
    crashingAt: (type: CertificateOrder['type']): CertificateAuthority => ({
      ...authority,
      issue: (order) =>
        order.type === type && order.authority === 'organization'
          ? Promise.reject(new Error('killed'))
          : authority.issue(order),
    }),
    revokeFirst: () => {
      state.isRevoked = true;
    },
    activateNext: () => {
      state.isNextActive = true;
    },
    stop: async () => {
      await rest.stop();
      await first.stop();
    },
  };
}
