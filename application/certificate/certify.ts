import type { Certificate } from '../../domain/certificate/certificate.ts';
import type { CertificateRequested } from '../../domain/certificate/events.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { CertificateAuthority, CertificateOrder } from '../ports/certificateAuthority.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Certificates } from './certificates.ts';

export interface CertifyDependencies {
  readonly certificates: Certificates;
  readonly authority: CertificateAuthority;
  readonly clock: Clock;
}

/** A certificate to be, under a serial of its own. */
export interface Certification {
  /** 16 bytes, lower-case hexadecimal, unpredictable. */
  readonly serial: string;
  /** Whose names it carries; null: nobody's. */
  readonly civilId: string | null;
  /** Nobody asked for this serial before: saves looking. */
  readonly isNew: boolean;
  /** What is asked for, unless the log already knows. */
  request(): CertificateRequested['data'];
  /** What is to be signed for what was asked for. */
  order(requested: CertificateRequested['data']): CertificateOrder;
}

export interface IssuedCertificate {
  /** Lower-case hexadecimal. */
  readonly serial: string;
  /** DER. */
  readonly certificate: Buffer;
  /** Position of the event in the log: what a reader must have taken in to see it. */
  readonly position: bigint | null;
}

/**
 * Issues a certificate: the intent is durable before anything is signed, so that after a crash between the two no
 * certificate is unknown. Done again under the same serial it resumes, or finds what was issued; done at the same time by
 * several, all get the one that was recorded.
 *
 * @throws Unavailable(keyVault) when nothing could be signed
 * @throws Refusal CERTIFICATE_NOT_ACTIVE when the request was given up
 */
export async function certify(
  dependencies: CertifyDependencies,
  certification: Certification,
  context: CommandContext,
): Promise<IssuedCertificate> {
  const { certificates, authority, clock } = dependencies;
  const { serial, civilId, order } = certification;
  const before = await requested(certificates, certification, context);
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

/** The certificate once it was at least asked for. */
async function requested(
  certificates: Certificates,
  { serial, isNew, request }: Certification,
  context: CommandContext,
): Promise<Exclude<Certificate, { status: 'NONE' }>> {
  if (!isNew) {
    const { state } = await certificates.load(serial);
    if (state.status !== 'NONE') return state;
  }
  const command = { type: 'RequestCertificate', requested: request() } as const;
  try {
    const { state } = await certificates.handleNew(serial, command, context);
    if (state.status !== 'NONE') return state;
  } catch (error) {
    if (!isRefusal(error, 'CONFLICT')) throw error;
    // Somebody else asks for the same at the same time.
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

/** Certificates know no fractions of a second. */
export function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}
