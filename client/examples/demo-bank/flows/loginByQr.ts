import { type DeviceLinkSession, type EidClient, signedDeviceLink } from '@tamga/client';

/** Starts a login for whoever scans the QR code. */
export async function loginByQr(client: EidClient, text: string): Promise<DeviceLinkSession> {
  // #region loginByQr
  return client.auth.deviceLinkAnonymous(text);
  // #endregion
}

/**
 * Fresh content of the QR code, requested by the page each second. The secret that signs it stays
 * on the server.
 */
export function freshQrLink(session: DeviceLinkSession): string {
  // #region freshQrLink
  return signedDeviceLink(session, { type: 'QR' });
  // #endregion
}
