import type { IssuingAuthority, IssuingCa } from '../../../domain/shared/issuingCas.ts';
import { caKeyLabel, createCaIssuing } from '../../../infrastructure/pki/caIssuing.ts';
import { systemClock, systemRandomness } from '../../../infrastructure/system.ts';
import type { TestAuthority } from '../doubles/memoryPki.ts';

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
