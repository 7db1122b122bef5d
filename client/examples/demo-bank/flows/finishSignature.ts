import {
  type EidClient,
  type SessionResult,
  type StartedSession,
  type ValidatedSignature,
  ValidationError,
} from '@tamga/client';

/** Expected digest and signer. */
export interface Expected {
  readonly session: StartedSession;
  /** Base64, computed by the bank itself: never taken from a response. */
  readonly digest: string;
  readonly etsi: string;
  /** `NTRMN-<register>`; null: for oneself. */
  readonly onBehalfOf: string | null;
}

/** Validates the result of a signature. @throws ValidationError */
export async function finishSignature(
  client: EidClient,
  result: SessionResult,
  { session, digest, etsi, onBehalfOf }: Expected,
): Promise<ValidatedSignature> {
  // #region finishSignature
  const signature = client.validator.validateSign(result, digest, { session, personEtsi: etsi });
  await client.validator.checkRevocation(signature.certificate);
  if ((signature.statedByService.onBehalfOf?.orgEtsi ?? null) !== onBehalfOf) {
    throw new ValidationError('ORGANIZATION_MISMATCH', 'Signed for another organization.');
  }
  return signature;
  // #endregion
}
