import { type DeviceLinkSession, type EidClient, signedDeviceLink } from '@tamga/client';

/** Starts a login by the app on the browser's own device. */
export async function loginByApp(
  client: EidClient,
  text: string,
  callbackUrl: string,
): Promise<DeviceLinkSession> {
  // #region loginByApp
  const interactions = [{ type: 'displayTextAndPIN', displayText60: text }] as const;
  return client.auth.deviceLinkAnonymous(interactions, { callbackUrl });
  // #endregion
}

/** Link that opens the app on the same device. */
export function appLink(session: DeviceLinkSession): string {
  return signedDeviceLink(session, { type: 'Web2App' });
}
