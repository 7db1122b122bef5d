import { type DeviceLinkSession, type EidClient, signedDeviceLink } from '@tamga/client';

/** A login for the app on the device the browser runs on. */
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

/** Opens the app on the same device. */
export function appLink(session: DeviceLinkSession): string {
  return signedDeviceLink(session, { type: 'Web2App' });
}
