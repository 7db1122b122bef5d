import { equalSecrets, hmacSha256, sha256 } from '../shared/digest.ts';
import { Refusal } from '../shared/refusal.ts';
import type { DeviceLinkType } from './events.ts';

// Signed device links (contract §5): created by a relying party from token and secret, and sent in by a phone.

/** Session type of a link. */
export type LinkSessionType = 'auth' | 'sign' | 'cert';

/** A parsed device link; only its syntax is checked. */
export interface SignedDeviceLink {
  /** Everything before `&authCode=`, byte for byte as scanned. */
  readonly unsigned: string;
  /** Base64url of 32 bytes. */
  readonly authCode: string;
  readonly deviceLinkType: DeviceLinkType;
  /** Seconds from the start of the session to the creation of the link; QR only, otherwise null. */
  readonly elapsedSeconds: number | null;
  /** 24 characters `[A-Za-z0-9]`. */
  readonly sessionToken: string;
  readonly sessionType: LinkSessionType;
}

const LINK = new RegExp(
  '^(?<unsigned>[^?#\\s]+\\?deviceLinkType=(?<deviceLinkType>QR|Web2App|App2App)' +
    '(?:&elapsedSeconds=(?<elapsedSeconds>\\d{1,6}))?' +
    '&sessionToken=(?<sessionToken>[A-Za-z0-9]{24})' +
    '&sessionType=(?<sessionType>auth|sign|cert)&version=1\\.0&lang=[a-z]{3})' +
    '&authCode=(?<authCode>[A-Za-z0-9_-]{43})$',
);

/** Parses a signed link of version 1.0. Null when malformed; only QR links have `elapsedSeconds`. */
export function parseSignedDeviceLink(text: string): SignedDeviceLink | null {
  const found = LINK.exec(text)?.groups;
  if (found === undefined) return null;
  const { unsigned = '', authCode = '', sessionToken = '', elapsedSeconds } = found;
  const deviceLinkType = found['deviceLinkType'] as DeviceLinkType;
  if ((deviceLinkType === 'QR') !== (elapsedSeconds !== undefined)) return null;
  return {
    unsigned,
    authCode,
    sessionToken,
    deviceLinkType,
    sessionType: found['sessionType'] as LinkSessionType,
    elapsedSeconds: elapsedSeconds === undefined ? null : Number(elapsedSeconds),
  };
}

/** Input of a link's authCode besides the link itself: session fields known to both sides. */
export interface LinkedSession {
  /** Installation, for example `smart-id`. */
  readonly scheme: string;
  /** Empty for a certificate choice, like the next field and `interactions`. */
  readonly signatureProtocol: string;
  /** Base64, as sent. */
  readonly challengeOrDigest: string;
  readonly relyingPartyName: string;
  /** Empty: none. */
  readonly brokerName: string;
  /** Base64, as sent. */
  readonly interactions: string;
  /** Verbatim; empty: none. Not part of a QR link, which has no return. */
  readonly initialCallbackUrl: string;
}

/**
 * `base64url(HMAC-SHA256(decoded secret, eight fields joined by "|"))`.
 *
 * @param sessionSecret base64
 * @param link `unsigned` is the last field
 */
export function authCodeOf(
  session: LinkedSession,
  sessionSecret: string,
  link: Pick<SignedDeviceLink, 'unsigned' | 'deviceLinkType'>,
): string {
  const fields = [
    session.scheme,
    session.signatureProtocol,
    session.challengeOrDigest,
    base64(session.relyingPartyName),
    base64(session.brokerName),
    session.interactions,
    link.deviceLinkType === 'QR' ? '' : session.initialCallbackUrl,
    link.unsigned,
  ];
  return hmacSha256(Buffer.from(sessionSecret, 'base64'), fields.join('|')).toString('base64url');
}

/**
 * Parameter the phone appends to the return address: `base64url(SHA-256(decoded secret))`.
 * @param sessionSecret base64
 */
export function sessionSecretDigest(sessionSecret: string): string {
  return sha256(Buffer.from(sessionSecret, 'base64')).toString('base64url');
}

/** Validity of a QR link from its creation, seconds (contract §5). */
export const qrFreshSeconds = 20;

/** Clock skew accepted between processes, ms: a link may appear to be created this much in the future. */
const CLOCK_DIFFERENCE_MS = 5_000;

/** Checks that the relying party made this link for this session. @throws Refusal DEVICE_LINK_INVALID */
export function expectGenuine(
  link: SignedDeviceLink,
  expected: { readonly sessionType: LinkSessionType; readonly authCode: string },
): void {
  const isGenuine = equalSecrets(link.authCode, expected.authCode);
  if (!isGenuine || link.sessionType !== expected.sessionType) {
    throw new Refusal('DEVICE_LINK_INVALID');
  }
}

/** @throws Refusal DEVICE_LINK_EXPIRED for a QR link older than 20 seconds */
export function expectFresh(
  { elapsedSeconds }: SignedDeviceLink,
  startedAt: Date,
  now: Date,
): void {
  if (elapsedSeconds === null) return;
  const age = now.getTime() - startedAt.getTime() - elapsedSeconds * 1000;
  if (age > qrFreshSeconds * 1000 || age < -CLOCK_DIFFERENCE_MS)
    throw new Refusal('DEVICE_LINK_EXPIRED');
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
