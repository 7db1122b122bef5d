import {
  type EidClient,
  type SessionResult,
  type StartedSession,
  type ValidatedSignature,
  ValidationError,
} from '@tamga/client';

/** What was to be signed, and by whom. */
export interface Expected {
  readonly session: StartedSession;
  /** Base64: the bank's own, not one it was told. */
  readonly digest: string;
  readonly etsi: string;
  /** `NTRMN-<register>`; null: for oneself. */
  readonly onBehalfOf: string | null;
}

/** Believes a signature, or does not. */
export async function finishSignature(
  client: EidClient,
  result: SessionResult,
  { session, digest, etsi, onBehalfOf }: Expected,
): Promise<ValidatedSignature> {
  // #region finishSignature
  const signature = client.validator.validateSign(result, digest, { session, personEtsi: etsi });
  await client.validator.checkRevocation(signature.certificate);
  if ((result.onBehalfOf?.orgEtsi ?? null) !== onBehalfOf) {
    throw new ValidationError('ORGANIZATION_MISMATCH', 'Signed for another organization.');
  }
  return signature;
  // #endregion
}
