import type {
  CertificateRequested,
  CitizenCertificateType,
  KeyType,
} from '../../domain/certificate/events.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import { personEtsi } from '../../domain/shared/etsi.ts';
import type { CommandContext } from '../handleCommand.ts';
import { caKindFor } from '../ports/certificateAuthority.ts';
import type { Randomness } from '../ports/randomness.ts';
import { certify, type CertifyDependencies, type IssuedCertificate, newSerial } from './certify.ts';

/** A citizen's key to be certified; proof of possession was checked before. */
export interface CertificateApplication {
  /**
   * 16 bytes, lower-case hexadecimal, unpredictable. Callers that may repeat the call after a crash derive it from the
   * application: the same serial resumes it. Omitted: random.
   */
  readonly serial?: string;
  readonly type: CitizenCertificateType;
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

export interface IssueCertificateDependencies extends CertifyDependencies {
  readonly randomness: Randomness;
  /** Validity of a citizen's certificate; default 3. Limited by the end of the issuing CA's own certificate. */
  readonly validityYears?: number;
}

/**
 * Issues a citizen's certificate. After a crash its stream stays REQUESTED until the application is repeated or
 * abandoned.
 *
 * @throws Unavailable(keyVault) when nothing could be signed
 * @throws Refusal CERTIFICATE_NOT_ACTIVE when the application was abandoned
 */
export async function issueCertificate(
  dependencies: IssueCertificateDependencies,
  application: CertificateApplication,
  context: CommandContext,
): Promise<IssuedCertificate> {
  const { authority, clock, randomness, validityYears = 3 } = dependencies;
  const { type, level, keyType, civilId, documentNumber, publicKey } = application;
  const etsi = personEtsi(civilId);
  const issuer = await authority.active(caKindFor(etsi));
  const { serial = newSerial(randomness) } = application;

  function request(): CertificateRequested['data'] {
    const requestedAt = clock.now();
    const notBefore = authority.beginOfValidity(issuer.authority, requestedAt);
    const notAfter = endOfValidity(notBefore, validityYears, issuer.notAfter);
    return {
      serial,
      type,
      level,
      keyType,
      keyLabel: null,
      holder: { kind: 'citizen', civilId, documentNumber },
      authority: issuer.authority,
      issuer: issuer.name,
      publicKey: publicKey.toString('base64'),
      notBefore: notBefore.toISOString(),
      notAfter: notAfter.toISOString(),
      requestedAt: requestedAt.toISOString(),
    };
  }

  return certify(
    dependencies,
    {
      serial,
      civilId,
      isNew: application.serial === undefined,
      request,
      order: ({ authority, notBefore, notAfter }) => ({
        authority,
        type,
        level,
        keyType,
        serial,
        publicKey,
        subject: { etsi, givenName: application.givenName, surname: application.surname },
        notBefore: new Date(notBefore),
        notAfter: new Date(notAfter),
      }),
    },
    context,
  );
}

function endOfValidity(notBefore: Date, years: number, limit: Date): Date {
  const end = new Date(notBefore);
  end.setUTCFullYear(end.getUTCFullYear() + years);
  return end < limit ? end : limit;
}
