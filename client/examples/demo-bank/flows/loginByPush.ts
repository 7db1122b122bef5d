import type { EidClient, NotificationSession } from '@tamga/client';

/** A document number names one phone; every other identifier names a citizen. */
const DOCUMENT_NUMBER = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Asks the citizen's phone to confirm a login.
 *
 * @param id civil id, registration number, ETSI identifier, or the document number of a phone
 */
export async function loginByPush(
  client: EidClient,
  id: string,
  text: string,
): Promise<NotificationSession> {
  // #region loginByPush
  // The code is chosen among others: whoever did not begin the login does not know which.
  return DOCUMENT_NUMBER.test(id)
    ? client.auth.notificationByDocument(id, text)
    : client.auth.notificationByEtsi(id, text);
  // #endregion
}
