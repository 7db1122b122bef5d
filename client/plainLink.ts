// Links that need no secret; used by the server and by the browser entry.

/**
 * Builds the link of a first-generation session, for a QR code or button:
 * `{app_scheme}://approve?sessionId=…` (contract §5).
 *
 * @param appScheme the phone app's
 */
export function approveLink(sessionId: string, appScheme = 'tamga'): string {
  return `${appScheme}://approve?${new URLSearchParams({ sessionId }).toString()}`;
}

/**
 * Builds the unsigned link of a second-generation session: `{deviceLinkBase}?sessionId=…&vc=…`
 * (contract §5).
 */
export function codeLink(session: {
  readonly deviceLinkBase: string;
  readonly sessionId: string;
  readonly vc: string;
}): string {
  const { sessionId, vc } = session;
  return `${session.deviceLinkBase}?${new URLSearchParams({ sessionId, vc }).toString()}`;
}
