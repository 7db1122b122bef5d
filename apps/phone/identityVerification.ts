import { type Service, ServiceError } from './service.ts';

/** Data of the citizen's identity card. */
export interface CitizenCard {
  /** Civil id or registration number. */
  readonly identifier: string;
  readonly cardNumber: string;
  /** `YYYY-MM-DD`. */
  readonly birthDate: string;
}

/** Result of a successful verification. */
export interface VerifiedIdentity {
  readonly enrolmentToken: string;
  /** `PNOMN-<civil id>`. */
  readonly etsi: string;
}

interface Started {
  readonly verification: { readonly verificationId: string };
  readonly secret: string;
}

/**
 * Verifies an identity by the citizen card: starts the verification and submits its only step.
 *
 * @throws ServiceError IDENTITY_NOT_VERIFIED when the card is not that person's
 */
export async function verifyByCitizenCard(
  service: Service,
  card: CitizenCard,
): Promise<VerifiedIdentity> {
  const root = '/v3/kyc/verifications';
  const { verification, secret } = await service.call<Started>({
    method: 'POST',
    path: root,
    body: { method: 'citizenCard' },
  });
  const { verified } = await service.call<{ readonly verified: VerifiedIdentity | null }>({
    method: 'POST',
    path: `${root}/${verification.verificationId}/steps/citizen-card`,
    body: card,
    bearer: secret,
  });
  if (verified !== null) return verified;
  throw new ServiceError(403, 'IDENTITY_NOT_VERIFIED', 'The card is not of that person.');
}
