import type { Certificate, CertificateCommand } from '../../domain/certificate/certificate.ts';
import type {
  CertificateEvent,
  CertificateRequested,
  CertificateType,
  KeyType,
} from '../../domain/certificate/events.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { personEtsi } from '../../domain/shared/etsi.ts';
import type { Aggregate, CommandContext } from '../handleCommand.ts';
import type { CertificateAuthority } from '../ports/certificateAuthority.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';

/** A citizen's key to be certified; possession of it was proven before. */
export interface CertificateApplication {
  /**
   * 16 bytes, lower-case hexadecimal, unpredictable. A caller that may have to ask again after a crash derives it from
   * what it asks for: asked again under it, an application is resumed, not repeated. Omitted: random.
   */
  readonly serial?: string;
  readonly type: CertificateType;
  readonly level: CertificateLevel;
  readonly keyType: KeyType;
  readonly civilId: string;
  readonly documentNumber: string;
  readonly givenName: string;
  /** The father's name. */
  readonly surname: string;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
}

export interface IssuedCertificate {
  /** Lower-case hexadecimal. */
  readonly serial: string;
  /** DER. */
  readonly certificate: Buffer;
  /** Position of the event in the log: what a reader must have taken in to see it. */
  readonly position: bigint | null;
}

export interface IssueCertificateDependencies {
  readonly certificates: Aggregate<Certificate, CertificateCommand, CertificateEvent>;
  readonly authority: CertificateAuthority;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** How long a citizen's certificate is valid; default 3. Cut where the issuing CA's own certificate ends. */
  readonly validityYears?: number;
}

/**
 * Issues a citizen's certificate: the intent is durable before anything is signed, so that after a crash between the
 * two no certificate is unknown; its stream then stays REQUESTED until the application is made again.
 *
 * @throws Unavailable(keyVault) when nothing could be signed
 */
export async function issueCertificate(
  dependencies: IssueCertificateDependencies,
  application: CertificateApplication,
  context: CommandContext,
): Promise<IssuedCertificate> {
  const { certificates, authority, clock, randomness, validityYears = 3 } = dependencies;
  const { type, level, keyType, civilId, documentNumber, publicKey } = application;
  const etsi = personEtsi(civilId);
  const { serial = newSerial(randomness) } = application;
  const before = application.serial === undefined ? undefined : await certificates.load(serial);
  if (before?.state.status === 'ISSUED' || before?.state.status === 'REVOKED') {
    const certificate = Buffer.from(before.state.issued.certificate, 'base64');
    return { serial, certificate, position: null };
  }

  async function request(): Promise<CertificateRequested['data']> {
    const requestedAt = clock.now();
    const notBefore = wholeSeconds(requestedAt);
    const notAfter = endOfValidity(notBefore, validityYears, authority.validUntil(etsi));
    const requested = {
      serial,
      type,
      level,
      keyType,
      civilId,
      documentNumber,
      issuer: authority.issuerFor(etsi),
      publicKey: publicKey.toString('base64'),
      notBefore: notBefore.toISOString(),
      notAfter: notAfter.toISOString(),
      requestedAt: requestedAt.toISOString(),
    };
    await certificates.handleNew(serial, { type: 'RequestCertificate', requested }, context);
    return requested;
  }

  const { notBefore, notAfter } =
    before?.state.status === 'REQUESTED' ? before.state.requested : await request();
  const certificate = await authority.issue({
    type,
    level,
    keyType,
    serial,
    subject: { etsi, givenName: application.givenName, surname: application.surname },
    publicKey,
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
  });
  const { position } = await certificates.handle(
    serial,
    {
      type: 'RecordIssued',
      issued: {
        serial,
        civilId,
        certificate: certificate.toString('base64'),
        fingerprint: sha256Hex(certificate),
        issuedAt: clock.now().toISOString(),
      },
    },
    context,
  );
  return { serial, certificate, position };
}

/** 16 bytes, positive and of constant length: the first bit 0, the second 1, the others random (RFC 5280 §4.1.2.2). */
function newSerial(randomness: Randomness): string {
  const bytes = randomness.bytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

/** Certificates know no fractions of a second. */
function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

function endOfValidity(notBefore: Date, years: number, limit: Date): Date {
  const end = new Date(notBefore);
  end.setUTCFullYear(end.getUTCFullYear() + years);
  return end < limit ? end : limit;
}
