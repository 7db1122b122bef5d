import { X509Certificate } from 'node:crypto';
import type { IssuingCas } from '../../application/aggregates.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { type IssuingCa, kindOf } from '../../domain/shared/issuingCas.ts';
import { caOf } from '../../infrastructure/pki/caIssuing.ts';
import { revokedByRoot } from '../../infrastructure/pki/revokedIssuers.ts';
import { findCaCertificate } from '../../infrastructure/postgres/caCertificates.ts';
import { findProcesses, isOfRelease } from '../../infrastructure/postgres/releaseLevel.ts';
import { createPostgresRevocationLists } from '../../infrastructure/postgres/revocationLists.ts';
import { programVersion } from '../../infrastructure/version.ts';
import type { Foundation } from './foundation.ts';

/** An issuing CA that issues. */
export interface ActivatedCa {
  readonly commonName: string;
  readonly notAfter: Date;
}

export interface ActivationDependencies extends Pick<Foundation, 'pool' | 'database' | 'clock'> {
  readonly issuingCas: IssuingCas;
}

/**
 * Lets a generation of an issuing CA issue, once every process knows it: from its activation on, each is asked for the
 * status of what it issued.
 *
 * @throws Error that says what is missing; nothing was activated then
 */
export async function activateIssuingCa(
  { pool, database, clock, issuingCas }: ActivationDependencies,
  authority: IssuingCa,
  context: CommandContext,
): Promise<ActivatedCa> {
  const { commonName } = caOf(authority);
  const installed = await findCaCertificate(pool, authority);
  if (installed === null) {
    throw new Error(`${commonName} has no certificate. Install it with ./tamga ceremony install.`);
  }
  const { certificate, installedAt } = installed;
  const lists = createPostgresRevocationLists(pool);
  const { serialNumber, validTo } = new X509Certificate(certificate);
  if ((await revokedByRoot(lists)).has(serialNumber.toLowerCase())) {
    throw new Error(`${commonName} was revoked by the root.`);
  }
  const unaware = (await findProcesses(database)).filter(
    (each) => each.since < installedAt || !isOfRelease(each, programVersion()),
  );
  if (unaware.length > 0) {
    throw new Error(
      `These processes do not know ${commonName} yet: ${unaware.map(({ name }) => name).join(', ')}. Restart them one after another, then activate again.`,
    );
  }
  if ((await lists.newestHead(authority)) === null) {
    throw new Error(
      `${commonName} has published no revocation list. Start the service, or restart the process that publishes the lists.`,
    );
  }
  const activated = {
    authority,
    fingerprint: sha256Hex(certificate),
    activatedAt: clock.now().toISOString(),
  };
  await issuingCas.handle(kindOf(authority), { type: 'ActivateCa', activated }, context);
  return { commonName, notAfter: new Date(validTo) };
}
