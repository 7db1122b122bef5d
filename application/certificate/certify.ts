import type { Certificate } from '../../domain/certificate/certificate.ts';
import type { CertificateRequested } from '../../domain/certificate/events.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { CertificateAuthority, CertificateOrder } from '../ports/certificateAuthority.ts';
import type { Clock } from '../ports/clock.ts';
import { Unavailable } from '../ports/faults.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Certificates } from '../aggregates.ts';

export interface CertifyDependencies {
  readonly certificates: Certificates;
  readonly authority: CertificateAuthority;
  readonly clock: Clock;
}

/** A certificate to be issued under a serial of its own. */
export interface Certification {
  /** 16 bytes, lower-case hexadecimal, unpredictable. */
  readonly serial: string;
  /** Person named in it; null: none. */
  readonly civilId: string | null;
  /** True when the serial cannot have been requested before, which saves a read. */
  readonly isNew: boolean;
  /** Content of the request, unless the log already has it. */
  request(): CertificateRequested['data'];
  /** Order for the certificate authority, from the recorded request. */
  order(requested: CertificateRequested['data']): CertificateOrder;
}

export interface IssuedCertificate {
  /** Lower-case hexadecimal. */
  readonly serial: string;
  /** DER. */
  readonly certificate: Buffer;
  /** Log position of the event, which a read model must have reached to show it. */
  readonly position: bigint | null;
}

/**
 * Issues a certificate: the intent is durable before signing, so that after a crash no certificate is unknown. A
 * repetition under the same serial resumes, or finds the issued certificate; concurrent calls all get the recorded one.
 *
 * @throws Unavailable(keyVault) when nothing could be signed
 * @throws Unavailable(issuingAuthority) when the root revoked the CA; a new request is not recorded then
 * @throws Refusal CERTIFICATE_NOT_ACTIVE when the request was abandoned
 */
export async function certify(
  dependencies: CertifyDependencies,
  certification: Certification,
  context: CommandContext,
): Promise<IssuedCertificate> {
  const { certificates, authority, clock } = dependencies;
  const { serial, civilId, order } = certification;
  const before = await requested(dependencies, certification, context);
  if (before.status !== 'REQUESTED') return recorded(before, null);
  const certificate = await authority.issue(order(before.requested));
  const issued = {
    serial,
    civilId,
    certificate: certificate.toString('base64'),
    fingerprint: sha256Hex(certificate),
    issuedAt: clock.now().toISOString(),
  };
  const { state, position } = await certificates.handle(
    serial,
    { type: 'RecordIssued', issued },
    context,
  );
  return recorded(state, position);
}

/**
 * Finds a certificate. A request whose CA the root revoked since is given up: nothing signs it any more.
 *
 * @throws Unavailable(issuingAuthority) for a request of a CA that this process does not know
 */
export async function loadUnlessOrphaned(
  { certificates, authority, clock }: CertifyDependencies,
  serial: string,
  context: CommandContext,
): Promise<Certificate> {
  const { state } = await certificates.load(serial);
  if (state.status !== 'REQUESTED' || !(await authority.isRevoked(state.requested.authority))) {
    return state;
  }
  const command = { type: 'AbandonRequest', now: clock.now().toISOString() } as const;
  return (await certificates.handle(serial, command, context)).state;
}

/** The certificate, at least requested. */
async function requested(
  { certificates, authority }: CertifyDependencies,
  { serial, isNew, request }: Certification,
  context: CommandContext,
): Promise<Exclude<Certificate, { status: 'NONE' }>> {
  if (!isNew) {
    const { state } = await certificates.load(serial);
    if (state.status !== 'NONE') return state;
  }
  const command = { type: 'RequestCertificate', requested: request() } as const;
  const { authority: name, issuer } = command.requested;
  if (await authority.isRevoked(name)) {
    throw new Unavailable('issuingAuthority', new Error(`The root revoked ${issuer}.`));
  }
  try {
    const { state } = await certificates.handleNew(serial, command, context);
    if (state.status !== 'NONE') return state;
  } catch (error) {
    if (!isRefusal(error, 'CONFLICT')) throw error;
    // Requested concurrently under the same serial.
    const { state } = await certificates.load(serial);
    if (state.status !== 'NONE') return state;
  }
  throw new Refusal('CONFLICT');
}

function recorded(state: Certificate, position: bigint | null): IssuedCertificate {
  if (!('issued' in state) || state.issued === null) throw new Refusal('CERTIFICATE_NOT_ACTIVE');
  const { serial, certificate } = state.issued;
  return { serial, certificate: Buffer.from(certificate, 'base64'), position };
}

/** 16 bytes, positive and of constant length: the first bit 0, the second 1, the others random (RFC 5280 §4.1.2.2). */
export function newSerial(randomness: Randomness): string {
  const bytes = randomness.bytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}
