import {
  authCodeOf,
  type LinkedSession,
  type LinkSessionType,
} from '../../domain/session/deviceLink.ts';
import type { DeviceLinkType, SessionKind, SessionStarted } from '../../domain/session/events.ts';
import { signatureProtocol } from '../../domain/session/signing.ts';
import { Refusal } from '../../domain/shared/refusal.ts';

type Started = SessionStarted['data'];

/** Session type in the link, by kind of session. */
export const linkTypes: Readonly<Record<SessionKind, LinkSessionType>> = {
  AUTHENTICATION: 'auth',
  SIGNATURE: 'sign',
  CERTIFICATE_CHOICE: 'cert',
};

/**
 * Signed fields and key of a session's links.
 *
 * @throws Refusal DEVICE_LINK_INVALID for a flat session: its request is not stored verbatim
 */
export function signedPart({ nested, deviceLink, ...started }: Started): {
  readonly linkedSession: LinkedSession;
  /** Base64. */
  readonly sessionSecret: string;
} {
  if (nested === null || deviceLink === null) throw new Refusal('DEVICE_LINK_INVALID');
  return {
    sessionSecret: deviceLink.sessionSecret,
    linkedSession: {
      scheme: nested.scheme,
      signatureProtocol: signatureProtocol({ ...started, nested }) ?? '',
      challengeOrDigest: started.rpChallenge ?? started.digest ?? '',
      relyingPartyName: started.relyingPartyName,
      brokerName: '',
      interactions: started.interactionsAsSent ?? '',
      initialCallbackUrl: nested.initialCallbackUrl ?? '',
    },
  };
}

/** Parameters of a link. */
export interface SignedLinkOptions {
  readonly type: DeviceLinkType;
  /** Base address of the link; no query. */
  readonly base: string;
  /** ISO 639-2. */
  readonly lang: 'mon' | 'eng';
  /** Creation time: a QR link is valid for 20 seconds from here. */
  readonly now: Date;
}

/**
 * The signed link of a session held by the platform itself, as a relying party creates its own (contract §5).
 *
 * @throws Refusal DEVICE_LINK_INVALID as {@link signedPart}
 */
export function signedLink(started: Started, { type, base, lang, now }: SignedLinkOptions): string {
  const { linkedSession, sessionSecret } = signedPart(started);
  const elapsedMs = now.getTime() - Date.parse(started.startedAt);
  const query = new URLSearchParams({
    deviceLinkType: type,
    ...(type === 'QR' ? { elapsedSeconds: String(Math.max(0, Math.floor(elapsedMs / 1000))) } : {}),
    sessionToken: started.deviceLink?.sessionToken ?? '',
    sessionType: linkTypes[started.kind],
    version: '1.0',
    lang,
  });
  const unsigned = `${base}?${query.toString()}`;
  const authCode = authCodeOf(linkedSession, sessionSecret, { unsigned, deviceLinkType: type });
  return `${unsigned}&authCode=${authCode}`;
}
