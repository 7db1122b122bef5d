import { beyondBound } from '../shared/bounds.ts';
import { faultOfDisplayed } from '../shared/displayedText.ts';
import { isLoopback, readHostAndPort } from '../shared/hosts.ts';
import { type FieldFault, Refusal } from '../shared/refusal.ts';
import type { OidcClientSettings } from './events.ts';
import { isPlatformScope } from './platformScopes.ts';

/** Addresses of a kind per client at most. */
export const maxClientUris = 50;

const ADDRESS = /^(https?):\/\/([^/?]+)(?:[/?]|$)/;
const NO_HOST =
  'Its host must be a name or an IP address, an IPv6 one in brackets and without a zone.';

/** Fault of an address; null: valid. */
function faultOf(uri: string, allowsLoopback: boolean): string | null {
  if (uri.length > 2000 || /[\s#]/.test(uri)) {
    return 'An absolute address without blanks and without a fragment.';
  }
  const [, scheme, authority] = ADDRESS.exec(uri) ?? [];
  if (authority !== undefined) {
    const read = readHostAndPort(authority);
    if (read === null) return NO_HOST;
    if (scheme === 'https' || (allowsLoopback && isLoopback(read.host.name))) return null;
  }
  return allowsLoopback
    ? 'An https address, or http on this machine.'
    : 'An https address; http is for development.';
}

/**
 * Checks that the provider can serve a client with these settings (RFC 9700 §2.1, §4.1; OpenID Connect Registration
 * §2).
 *
 * @param allowsLoopback allows http for loopback addresses
 * @throws Refusal INVALID_REQUEST with every fault
 */
export function expectUsable(settings: OidcClientSettings, allowsLoopback: boolean): void {
  const faults: FieldFault[] = [];
  const expect = (isMet: boolean, pointer: string, detail: string) => {
    if (!isMet) faults.push({ pointer, detail });
  };
  for (const field of ['name', 'nameEn'] as const) {
    const fault = faultOfDisplayed(settings[field] ?? '', 'one line');
    if (fault !== null) faults.push({ pointer: `/${field}`, detail: fault });
  }
  const lists = {
    redirectUris: settings.redirectUris,
    postLogoutRedirectUris: settings.postLogoutRedirectUris,
    ...single('backchannelLogoutUri', settings.backchannelLogoutUri),
    ...single('logoUri', settings.logoUri),
    ...single('clientUri', settings.clientUri),
  };
  for (const [field, uris] of Object.entries(lists)) {
    for (const [index, uri] of uris.entries()) {
      const fault = faultOf(uri, allowsLoopback);
      const place = field.endsWith('s') ? `/${field}/${index}` : `/${field}`;
      if (fault !== null) faults.push({ pointer: place, detail: fault });
    }
    expect(
      uris.length <= maxClientUris,
      `/${field}`,
      beyondBound({ atMost: maxClientUris }, uris.length, 'addresses'),
    );
  }
  expect(settings.redirectUris.length > 0, '/redirectUris', 'At least one.');
  expect(settings.scopes.includes('openid'), '/scopes', 'openid is always among them.');
  expect(
    settings.organization !== null || !settings.scopes.some(isPlatformScope),
    '/scopes',
    'Scopes of documents and the directory need a client with an organization: name it in organization.',
  );
  const needsKeys = settings.authMethod === 'private_key_jwt';
  expect(
    needsKeys === settings.keys.length > 0,
    '/keys',
    needsKeys ? 'private_key_jwt needs public keys.' : 'Only private_key_jwt has keys.',
  );
  for (const [index, key] of settings.keys.entries()) {
    expect(
      isPublicKey(key),
      `/keys/${index}`,
      'A public JSON Web Key: EC of P-256 or P-384, or RSA of 2048 to 8192 bits, no private members.',
    );
  }
  if (faults.length === 0) return;
  throw new Refusal('INVALID_REQUEST', {
    detail: 'The client cannot be served with these settings; see errors.',
    errors: faults,
  });
}

function single(field: string, uri: string | null): Readonly<Record<string, readonly string[]>> {
  return uri === null ? {} : { [field]: [uri] };
}

/** RFC 7518 §6: members of private and symmetric keys. */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** Length of a coordinate in base64url characters, by curve (RFC 7518 §6.2.1.2). */
const coordinateLengths: Readonly<Record<string, number>> = { 'P-256': 43, 'P-384': 64 };

function isPublicKey(key: Readonly<Record<string, string>>): boolean {
  if (secretMembers.some((member) => key[member] !== undefined)) return false;
  const { kty, crv = '', x, y, n = '', e } = key;
  if (kty === 'EC') {
    const length = coordinateLengths[crv] ?? 0;
    return [x, y].every(
      (coordinate) => BASE64URL.test(coordinate ?? '') && coordinate?.length === length,
    );
  }
  // RFC 7518 §3.3: 2048 bits or more.
  return (
    kty === 'RSA' &&
    BASE64URL.test(n) &&
    n.length >= 342 &&
    n.length <= 1366 &&
    BASE64URL.test(e ?? '')
  );
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;
