import type { DeviceLinkSession, EidClient } from '@tamga/client';
import type { ToSign } from './signByPush.ts';

/**
 * Starts a signature by QR code or by the app on the same device; only this customer's phone can
 * open it.
 *
 * @param back callback URL of the app; empty for a QR code
 */
export async function signByLink(
  client: EidClient,
  toSign: ToSign,
  back: { readonly callbackUrl?: string },
): Promise<DeviceLinkSession> {
  // #region signByLink
  const { etsi, digest, interactions, ...options } = toSign;
  return client.sign.deviceLinkByEtsi(etsi, digest, interactions, { ...options, ...back });
  // #endregion
}
