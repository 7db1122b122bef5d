import { anyText, type Argument, checkArguments, objectWith, text } from './arguments.ts';

// Links that need no secret; used by the server and by the browser entry.

const approveArguments: readonly Argument[] = [
  ['sessionId', text],
  ['appScheme', text],
];
const codeSession = objectWith({ deviceLinkBase: text, sessionId: text, vc: anyText });

/**
 * Builds the link of a first-generation session, for a QR code or button:
 * `{app_scheme}://approve?sessionId=…` (contract §5).
 *
 * @param appScheme the phone app's
 */
export function approveLink(sessionId: string, appScheme = 'tamga'): string {
  checkArguments('approveLink', approveArguments, [sessionId, appScheme]);
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
  checkArguments('codeLink', [['session', codeSession]], [session]);
  const { sessionId, vc } = session;
  return `${session.deviceLinkBase}?${new URLSearchParams({ sessionId, vc }).toString()}`;
}
