import type { EidClient, Interaction, NotificationSession, SignOptions } from '@tamga/client';

/** Request for a customer's signature. */
export interface ToSign extends Pick<SignOptions, 'fileName' | 'onBehalfOf'> {
  /** Expected signer: `PNOMN-<civil id>`. */
  readonly etsi: string;
  /** SHA-256 of the bytes to be signed, base64. */
  readonly digest: string;
  readonly interactions: readonly Interaction[];
}

/** Starts a signature by push to the customer's phone. */
export async function signByPush(client: EidClient, toSign: ToSign): Promise<NotificationSession> {
  // #region signByPush
  const { etsi, digest, interactions, ...options } = toSign;
  return client.sign.digestByEtsi(etsi, digest, interactions, options);
  // #endregion
}
