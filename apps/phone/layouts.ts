import { base64, base64url, type Bytes, lengthPrefixed, utf8 } from './bytes.ts';
import type { FlowType, NestedDetails } from './session.ts';

// Signed data, byte for byte. Hashes are parameters: Node.js and the browser compute them
// differently.

/**
 * Signed data of a first-generation authentication: `LP("ACSP_V2") ‖ LP(rpChallenge) ‖ LP(SPKI)`.
 */
export function acspV2Layout(challenge: Uint8Array, publicKey: Uint8Array): Bytes {
  return lengthPrefixed(utf8('ACSP_V2'), challenge, publicKey);
}

/**
 * Proof of possession of a key at enrolment: `LP("TAMGA_ENROL_V1") ‖ LP(SHA-256(token)) ‖ LP(name)
 * ‖ LP(SPKI)`.
 */
export function enrolmentProofLayout(
  tokenHash: Uint8Array,
  name: string,
  publicKey: Uint8Array,
): Bytes {
  return lengthPrefixed(utf8('TAMGA_ENROL_V1'), tokenHash, utf8(name), publicKey);
}

/**
 * Signed data that ends another phone: `LP("TAMGA_DISOWN_V1") ‖ LP(notice id) ‖ LP(own document number) ‖ LP(that of the
 * other)`.
 */
export function disownLayout(noticeId: string, own: string, other: string): Bytes {
  return lengthPrefixed(...['TAMGA_DISOWN_V1', noticeId, own, other].map(utf8));
}

/** Fields of the signed data of a nested authentication. */
export interface NestedAuthentication extends NestedDetails {
  /** Base64, as sent. */
  readonly rpChallenge: string | null;
  readonly relyingPartyName: string;
  /** Default none: no request names a broker. */
  readonly brokerName?: string;
  readonly interactionTypeUsed: string;
  readonly flowType: FlowType;
  /** Base64url. */
  readonly userChallenge: string;
}

/**
 * Signed data of a nested authentication: eleven text fields joined by `|` (contract §4).
 *
 * @param interactionsHash SHA-256 of the interactions as sent (empty when there are none)
 */
export function nestedLayout(parts: NestedAuthentication, interactionsHash: Uint8Array): Bytes {
  const fields = [
    parts.scheme,
    'ACSP_V2',
    parts.serverRandom ?? '',
    parts.rpChallenge ?? '',
    parts.userChallenge,
    base64(utf8(parts.relyingPartyName)),
    base64(utf8(parts.brokerName ?? '')),
    base64(interactionsHash),
    parts.interactionTypeUsed,
    parts.initialCallbackUrl ?? '',
    parts.flowType,
  ];
  return utf8(fields.join('|'));
}

/**
 * Verification code the citizen compares.
 *
 * @param hash SHA-256 of the data to be signed: challenge or digest, raw bytes
 * @param type `alphaNumeric5` has five digits, any other four
 */
export function codeOfHash(hash: Uint8Array, type: string): string {
  const view = new DataView(hash.buffer, hash.byteOffset, hash.byteLength);
  return type === 'alphaNumeric5'
    ? String(view.getUint32(28) % 100_000).padStart(5, '0')
    : String(view.getUint16(30) % 10_000).padStart(4, '0');
}

/** A request to the device API, as covered by its proof. */
export interface Call {
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** Body, byte for byte as sent. */
  readonly body: string | Uint8Array;
  readonly time: Date;
}

/**
 * Signing input of a request's `DPoP` header: the first two segments of a compact JWS (ES256) over
 * method, path, body, time and a fresh nonce.
 */
export function deviceProofLayout(
  documentNumber: string,
  call: Call,
  fresh: { readonly bodyHash: Uint8Array; readonly nonce: Uint8Array },
): string {
  const header = segment({ typ: 'dpop+jwt', alg: 'ES256', kid: documentNumber });
  const claims = segment({
    htm: call.method,
    path: call.path,
    iat: Math.floor(call.time.getTime() / 1000),
    jti: base64url(fresh.nonce),
    bh: base64url(fresh.bodyHash),
  });
  return `${header}.${claims}`;
}

function segment(value: object): string {
  return base64url(utf8(JSON.stringify(value)));
}
