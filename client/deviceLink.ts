import { createHmac } from 'node:crypto';
import {
  type Argument,
  checkArguments,
  objectWith,
  oneOf,
  optional,
  text,
  time,
} from './arguments.ts';
import { base64 } from './crypto.ts';
import { ConfigurationError } from './errors.ts';
import { approveLink, codeLink } from './plainLink.ts';
import type { DeviceLinkSession } from './types.ts';

const started = objectWith({ sessionId: text });
const linkArguments: readonly Argument[] = [
  ['session', started],
  [
    'options',
    objectWith({
      type: oneOf('QR', 'Web2App', 'App2App'),
      lang: optional(text),
      now: optional(time),
    }),
  ],
];
const plainArguments: readonly Argument[] = [
  ['session', started],
  ['appScheme', optional(text)],
];

/**
 * Types of device link: `QR` is shown on another screen; the other two are opened on the phone
 * itself, from its browser or an app.
 */
export type DeviceLinkType = 'QR' | 'Web2App' | 'App2App';

/** Options of a signed device link. */
export interface DeviceLinkOptions {
  /** Channel by which the link will be opened. */
  readonly type: DeviceLinkType;
  /** Language of the page behind the link, ISO 639-2; default `mon`. */
  readonly lang?: string;
  /** QR only: issue time of the link; default now. */
  readonly now?: Date;
}

/**
 * Builds the signed link of a second-generation session (contract §5). A QR link is fresh for 20
 * seconds: make a new one each second and hand it to the page. Signing needs the session's secret,
 * so links are made on the server.
 *
 * @throws ConfigurationError when the session is of the first generation, or an argument is not what it must be
 */
export function signedDeviceLink(session: DeviceLinkSession, options: DeviceLinkOptions): string {
  checkArguments('signedDeviceLink', linkArguments, [session, options]);
  const { type, lang = 'mon', now = new Date() } = options;
  const { request, receivedAt } = session;
  if (request === undefined || receivedAt === undefined) {
    throw new ConfigurationError('Signed links need a session of the second generation.');
  }
  const elapsed = Math.max(0, Math.floor((now.getTime() - receivedAt) / 1000));
  const query = new URLSearchParams({
    deviceLinkType: type,
    ...(type === 'QR' ? { elapsedSeconds: String(elapsed) } : {}),
    sessionToken: session.sessionToken,
    sessionType: sessionTypes[request.signatureProtocol],
    version: '1.0',
    lang,
  });
  const unsigned = `${session.deviceLinkBase}?${query.toString()}`;
  const signed = [
    request.schemeName,
    request.signatureProtocol,
    request.challengeOrDigest,
    base64(request.relyingPartyName),
    base64(request.brokeredRpName),
    request.interactions,
    // A QR flow has no callback, so its link is signed without one.
    type === 'QR' ? '' : request.initialCallbackUrl,
    unsigned,
  ].join('|');
  const authCode = createHmac('sha256', Buffer.from(session.sessionSecret, 'base64'))
    .update(signed)
    .digest('base64url');
  return `${unsigned}&authCode=${authCode}`;
}

const sessionTypes = { ACSP_V2: 'auth', RAW_DIGEST_SIGNATURE: 'sign', '': 'cert' } as const;

/**
 * Builds the unsigned link of a session, by its generation: {@link approveLink} or {@link
 * codeLink}.
 *
 * @param appScheme the phone app's, for a first-generation session
 */
export function plainDeviceLink(session: DeviceLinkSession, appScheme?: string): string {
  checkArguments('plainDeviceLink', plainArguments, [session, appScheme]);
  return session.request === undefined
    ? approveLink(session.sessionId, appScheme)
    : codeLink(session);
}
