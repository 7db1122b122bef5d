// Links that need no secret; used by the server and by the browser entry.

/**
 * What a QR code or a button of a first-generation session opens: `{app_scheme}://approve?sessionId=…` (contract §5).
 *
 * @param appScheme the phone app's
 */
export function approveLink(sessionId: string, appScheme = 'tamga'): string {
  return `${appScheme}://approve?${new URLSearchParams({ sessionId }).toString()}`;
}

/** The unsigned link of a second-generation session: `{deviceLinkBase}?sessionId=…&vc=…` (contract §5). */
export function codeLink(session: {
  readonly deviceLinkBase: string;
  readonly sessionId: string;
  readonly vc: string;
}): string {
  const { sessionId, vc } = session;
  return `${session.deviceLinkBase}?${new URLSearchParams({ sessionId, vc }).toString()}`;
}
