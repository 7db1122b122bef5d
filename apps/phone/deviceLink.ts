/** Scanned or pasted text that is not a supported link. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
}

/** Kind of a session; a certificate choice signs nothing. */
export type SessionKind = 'AUTHENTICATION' | 'SIGNATURE' | 'CERTIFICATE_CHOICE';

/** Inputs that identify a session. */
export type ScannedLink =
  | {
      /** Session id, `{app_scheme}://approve?sessionId=` or `{deviceLinkBase}?sessionId=&vc=`. */
      readonly type: 'plain';
      readonly sessionId: string;
      /** Verification code of the page, according to the link; null when it has none. */
      readonly verificationCode: string | null;
    }
  | {
      readonly type: 'signed';
      /** Link as scanned; the service checks its authCode and freshness. */
      readonly link: string;
      readonly kind: SessionKind;
    };

const kinds: Readonly<Record<string, SessionKind>> = {
  auth: 'AUTHENTICATION',
  sign: 'SIGNATURE',
  cert: 'CERTIFICATE_CHOICE',
};
const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Parses a link of any generation and validates it without the service: in a signed link each
 * parameter occurs once, version and types are valid, and exactly QR links have a time.
 *
 * @throws LinkError
 */
export function readScannedLink(text: string): ScannedLink {
  const link = text.trim();
  const query = new URLSearchParams(/\?([^#]*)/.exec(link)?.[1] ?? '');
  if (query.has('authCode') || query.has('sessionToken')) return readSigned(link, query);
  const sessionId = query.get('sessionId') ?? link;
  if (!SESSION_ID.test(sessionId)) throw new LinkError('This is no link to a session.');
  return { type: 'plain', sessionId, verificationCode: query.get('vc') };
}

function readSigned(link: string, query: URLSearchParams): ScannedLink {
  const only = (name: string, form: RegExp) => {
    const values = query.getAll(name);
    const [value = ''] = values;
    if (values.length !== 1 || !form.test(value)) {
      throw new LinkError(`The link's ${name} is missing or wrong.`);
    }
    return value;
  };
  only('authCode', /^[A-Za-z0-9_-]{43}$/);
  only('sessionToken', /^[A-Za-z0-9]{24}$/);
  only('version', /^1\.0$/);
  const isQr = only('deviceLinkType', /^(QR|Web2App|App2App)$/) === 'QR';
  if (isQr) only('elapsedSeconds', /^\d{1,6}$/);
  else if (query.has('elapsedSeconds')) throw new LinkError('Only a QR link has elapsedSeconds.');
  const kind = kinds[only('sessionType', /^(auth|sign|cert)$/)];
  if (kind === undefined) throw new LinkError('The link is of an unknown type.');
  return { type: 'signed', link, kind };
}

/** Callback URL with the proof that the answering phone returned (contract §5). */
export function returnAddress(
  callbackUrl: string,
  proofs: {
    /** Base64url. */
    readonly sessionSecretDigest: string | null;
    /** Base64url; authentications of the second generation only. */
    readonly userChallengeVerifier: string | null;
  },
): string {
  const added = Object.entries(proofs)
    .filter(([, value]) => value !== null)
    .map((entry) => entry.join('='));
  if (added.length === 0) return callbackUrl;
  // Appended as text: the relying party's own parameters return unchanged.
  return `${callbackUrl}${callbackUrl.includes('?') ? '&' : '?'}${added.join('&')}`;
}
