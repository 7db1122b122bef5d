import { type DeviceLinkSession, type EidClient, signedDeviceLink } from '@tamga/client';

/** Starts a login by the app on the browser's own device. */
export async function loginByApp(
  client: EidClient,
  text: string,
  callbackUrl: string,
): Promise<DeviceLinkSession> {
  // #region loginByApp
  return client.auth.deviceLinkAnonymous(text, { callbackUrl });
  // #endregion
}

/** Link that opens the app on the same device. */
export function appLink(session: DeviceLinkSession): string {
  return signedDeviceLink(session, { type: 'Web2App' });
}
