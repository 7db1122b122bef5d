import {
  checkCallback,
  type DeviceLinkSession,
  type EidClient,
  type NotificationSession,
  type SessionResult,
  type ValidatedAuthentication,
} from '@tamga/client';

/** Believes an answer, or does not. */
export async function finishLogin(
  client: EidClient,
  session: NotificationSession | DeviceLinkSession,
  result: SessionResult,
): Promise<ValidatedAuthentication> {
  // #region finishLogin
  const login = client.validator.validateAuth(result, session);
  await client.validator.checkRevocation(login.certificate);
  return login;
  // #endregion
}

/** The browser that returns from the app must be the one that was sent there, with the phone that answered. */
export function checkReturn(
  returned: URL,
  session: DeviceLinkSession,
  result: SessionResult,
  state: string,
): void {
  // #region checkReturn
  checkCallback(returned, { session, result, state });
  // #endregion
}
