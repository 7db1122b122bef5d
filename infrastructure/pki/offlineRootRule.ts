import { Misconfigured } from '../../application/ports/faults.ts';
import type { CaCertificates } from './caCertificates.ts';
import type { CaKind } from '../../domain/shared/issuingCas.ts';
import { caKeyLabel, caOf } from './caIssuing.ts';

/** A vault that is asked for the root's key. */
export interface KeyPlace {
  findKey(label: string): Promise<object | null>;
}

const PAGE = 'docs/ceremony.md';

/**
 * In production the root's key is offline, unless the operator says otherwise.
 *
 * @throws Misconfigured when one of the vaults holds it
 */
export async function expectNoRootKeyIn(places: readonly KeyPlace[]): Promise<void> {
  for (const place of places) {
    if ((await place.findKey(caKeyLabel('root'))) === null) continue;
    throw new Misconfigured(
      `The key of the Root CA (${caKeyLabel('root')}) is in a vault of this service, so anyone who compromises the service compromises the root. Keep the root offline (${PAGE}), or set SVC_ROOT_KEY_ONLINE=true to accept this.`,
    );
  }
}

/** @throws Misconfigured when no certificate of an offline root was installed */
export async function expectRootCertificate(
  certificates: Pick<CaCertificates, 'find'>,
): Promise<void> {
  if ((await certificates.find('root')) !== null) return;
  throw new Misconfigured(
    `There is no Root CA yet. Make it offline and install its certificates (${PAGE}), or set SVC_ROOT_KEY_ONLINE=true to let this service make it and keep its key.`,
  );
}

/** Fault of an issuing authority that an offline root has not certified. */
export const notCertified = (name: CaKind) =>
  new Misconfigured(
    `${caOf(name).commonName} has no certificate, and the key of the Root CA is not here. Run ./tamga ceremony request, sign the request offline, then run ./tamga ceremony install (${PAGE}).`,
  );
