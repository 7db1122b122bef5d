import { type DeviceLinkSession, type EidClient, signedDeviceLink } from '@tamga/client';

/** A login for whoever scans its code. */
export async function loginByQr(client: EidClient, text: string): Promise<DeviceLinkSession> {
  // #region loginByQr
  const interactions = [{ type: 'displayTextAndPIN', displayText60: text }] as const;
  return client.auth.deviceLinkAnonymous(interactions);
  // #endregion
}

/** What the QR code says now: the page asks each second. The secret that signs it stays on the server. */
export function freshQrLink(session: DeviceLinkSession): string {
  // #region freshQrLink
  return signedDeviceLink(session, { type: 'QR' });
  // #endregion
}
