import type { EidClient, Interaction, NotificationSession, SignOptions } from '@tamga/client';

/** What a customer is asked to sign. */
export interface ToSign extends Pick<SignOptions, 'fileName' | 'onBehalfOf'> {
  /** Whose signature counts: `PNOMN-<civil id>`. */
  readonly etsi: string;
  /** SHA-256 of the bytes to be signed, base64. */
  readonly digest: string;
  readonly interactions: readonly Interaction[];
}

/** Asks the customer's phone for a signature. */
export async function signByPush(client: EidClient, toSign: ToSign): Promise<NotificationSession> {
  // #region signByPush
  const { etsi, digest, interactions, ...options } = toSign;
  return client.sign.digestByEtsi(etsi, digest, interactions, options);
  // #endregion
}
