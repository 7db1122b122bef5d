import {
  checkCallback,
  type DeviceLinkSession,
  type EidClient,
  type NotificationSession,
  type SessionResult,
  type ValidatedAuthentication,
} from '@tamga/client';

/** Validates the result of a login. @throws ValidationError */
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

/**
 * Checks that the returning browser is the one sent to the app, and the phone the one that
 * answered.
 */
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
