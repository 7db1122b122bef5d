import { X509Certificate } from 'node:crypto';
import type { CertificateStatuses } from '../../application/certificate/ports/certificateStatuses.ts';
import type { RevocationListStore } from '../../application/certificate/ports/revocationLists.ts';
import type { CertificateAuthority, Issuer } from '../../application/ports/certificateAuthority.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { IssuingCa } from '../../domain/shared/issuingCas.ts';
import { revocationListTopic } from '../../domain/shared/streams.ts';
import { type NotificationFeed } from '../../application/ports/notifications.ts';
import type { ListedRevocation } from './kernel/revocationList.ts';
import { type ReadRevocationList, revocationListsIn } from './revocationListReader.ts';

/** Issuing authorities that the root revoked, by its newest list. */
export interface RevokedIssuers {
  /**
   * Finds the revocation of an authority's certificate, DER; null: it is not revoked.
   *
   * @throws Unavailable(database)
   */
  of(certificate: Buffer): Promise<ListedRevocation | null>;
  stop(): void;
}

/** CRLReason numbers of a certificate whose key may be used by others (RFC 5280 §5.3.1): keyCompromise, cACompromise. */
const compromises: readonly number[] = [1, 2];

export interface RevokedIssuersOptions {
  readonly lists: Pick<RevocationListStore, 'newest'>;
  readonly feed: NotificationFeed & {
    /** True while notifications arrive; otherwise the list is read each time. */
    isListening(): boolean;
  };
}

/** Certificates on the root's newest list, by serial number. @throws Unavailable(database) */
export async function revokedByRoot(
  lists: RevokedIssuersOptions['lists'],
): Promise<ReadRevocationList['revoked']> {
  const list = await lists.newest('root');
  return (list === null ? undefined : revocationListsIn(list.der)[0]?.revoked) ?? new Map();
}

/** Keeps the root's newest list in memory, and reads the next as soon as it is announced. */
export function createRevokedIssuers({ lists, feed }: RevokedIssuersOptions): RevokedIssuers {
  let revoked: Promise<ReadRevocationList['revoked']> | null = null;
  const serials = new WeakMap<Buffer, string>();

  const stop = feed.subscribe([revocationListTopic('root')], () => {
    revoked = null;
  });

  function current(): Promise<ReadRevocationList['revoked']> {
    if (revoked !== null && feed.isListening()) return revoked;
    const reading = revokedByRoot(lists);
    revoked = reading;
    reading.catch(() => {
      if (revoked === reading) revoked = null;
    });
    return reading;
  }

  function serialOf(certificate: Buffer): string {
    const known = serials.get(certificate);
    if (known !== undefined) return known;
    const serial = new X509Certificate(certificate).serialNumber.toLowerCase();
    serials.set(certificate, serial);
    return serial;
  }

  return {
    of: async (certificate) => (await current()).get(serialOf(certificate)) ?? null,
    stop,
  };
}

/**
 * Refuses to sign under an authority that the root revoked.
 *
 * @throws Unavailable(issuingAuthority)
 */
export async function refuseRevokedIssuer(
  { name, der }: { readonly name: string; readonly der: Buffer },
  revokedIssuers: Pick<RevokedIssuers, 'of'>,
): Promise<void> {
  const revocation = await revokedIssuers.of(der);
  if (revocation === null) return;
  const since = revocation.revokedAt.toISOString();
  throw new Unavailable(
    'issuingAuthority',
    new Error(`${name} was revoked by the root at ${since} (reason ${revocation.reason}).`),
  );
}

/**
 * Statuses under which no certificate of a revoked authority is good (RFC 6960 §2.7): it is revoked since its authority
 * is, for cACompromise where the authority's key may be used by others. An earlier revocation of its own stays.
 */
export function statusesUnderRoot(
  statuses: CertificateStatuses,
  authority: Pick<CertificateAuthority, 'issuer'>,
  revokedIssuers: Pick<RevokedIssuers, 'of'>,
): CertificateStatuses {
  function issuerOf(name: IssuingCa): Issuer | Unavailable {
    try {
      return authority.issuer(name);
    } catch (error) {
      if (error instanceof Unavailable) return error;
      throw error;
    }
  }

  return {
    async statuses(serials) {
      const found = await statuses.statuses(serials);
      return Promise.all(
        found.map(async (status) => {
          if ('unavailable' in status || status.authority === 'root') return status;
          const issuer = issuerOf(status.authority);
          // Nothing is said in the name of a generation that this process does not know.
          if (issuer instanceof Unavailable) return { serial: status.serial, unavailable: issuer };
          const above = await revokedIssuers.of(issuer.certificate);
          const isGone = status.revocation !== null && status.revocation.reason !== ON_HOLD;
          if (above === null || isGone) return status;
          const reason = compromises.includes(above.reason) ? CA_COMPROMISE : above.reason;
          return { ...status, revocation: { reason, at: above.revokedAt } };
        }),
      );
    },
  };
}

const CA_COMPROMISE = 2;
const ON_HOLD = 6;
