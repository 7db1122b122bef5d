// Certificates of tree keys, read and verified with nothing but the browser's own cryptography (RFC 5280, RFC 5480).

/** An element of DER. */
interface Element {
  readonly tag: number;
  /** Its content, as bytes of the certificate. */
  readonly content: Uint8Array<ArrayBuffer>;
  /** Tag, length and content. */
  readonly whole: Uint8Array<ArrayBuffer>;
}

/** Fields of a certificate that its verification needs. */
interface Certificate {
  readonly signed: Uint8Array<ArrayBuffer>;
  readonly issuer: Uint8Array<ArrayBuffer>;
  readonly subject: Uint8Array<ArrayBuffer>;
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Uint8Array<ArrayBuffer>;
  readonly algorithm: string;
  readonly signature: Uint8Array<ArrayBuffer>;
  /** True: it may issue certificates (basicConstraints). */
  readonly isCa: boolean;
}

/** Hash and key of each signature algorithm, by the hexadecimal content of its object identifier. */
const algorithms: Readonly<Record<string, { readonly hash: string; readonly isRsa?: boolean }>> = {
  '2a8648ce3d040302': { hash: 'SHA-256' },
  '2a8648ce3d040303': { hash: 'SHA-384' },
  '2a8648ce3d040304': { hash: 'SHA-512' },
  '2a864886f70d01010b': { hash: 'SHA-256', isRsa: true },
  '2a864886f70d01010c': { hash: 'SHA-384', isRsa: true },
  '2a864886f70d01010d': { hash: 'SHA-512', isRsa: true },
};

/** Curves by the hexadecimal content of their object identifier, with the bytes of a coordinate. */
const curves: Readonly<Record<string, { readonly name: string; readonly bytes: number }>> = {
  '2a8648ce3d030107': { name: 'P-256', bytes: 32 },
  '2b81040022': { name: 'P-384', bytes: 48 },
  '2b81040023': { name: 'P-521', bytes: 66 },
};

/** Identifier of basicConstraints, 2.5.29.19. */
const BASIC_CONSTRAINTS = '551d13';

/** Lower-case hexadecimal digits of bytes. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes of base64, white space allowed. @throws Error when it is none */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Contents of the blocks of a PEM text with that label, DER; what is no base64 is left out. */
export function pemBlocks(text: string, label: string): readonly Uint8Array<ArrayBuffer>[] {
  const blocks = text.matchAll(
    new RegExp(`-----BEGIN ${label}-----([^-]+)-----END ${label}-----`, 'g'),
  );
  return Array.from(blocks).flatMap(([, body = '']) => {
    try {
      return [fromBase64(body)];
    } catch {
      return [];
    }
  });
}

/**
 * The keys of those certificates of a PEM text that the root issued and that are no CA's: nobody else's heads count.
 *
 * @param root DER, trusted
 * @returns SubjectPublicKeyInfo, DER
 * @throws Error when the root cannot be read
 */
export async function keysCertifiedBy(
  root: Uint8Array<ArrayBuffer>,
  pem: string,
): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const issuer = readCertificate(root);
  const keys = [];
  for (const der of pemBlocks(pem, 'CERTIFICATE')) {
    const key = await keyIssuedBy(issuer, der).catch(() => null);
    if (key !== null) keys.push(key);
  }
  return keys;
}

/** @throws Error when the certificate cannot be read */
async function keyIssuedBy(issuer: Certificate, der: Uint8Array<ArrayBuffer>) {
  const certificate = readCertificate(der);
  const isIssued = hex(certificate.issuer) === hex(issuer.subject) && !certificate.isCa;
  return isIssued && (await isSignedBy(certificate, issuer)) ? certificate.spki : null;
}

function isSignedBy({ algorithm, signature, signed }: Certificate, { spki }: Certificate) {
  const known = algorithms[algorithm];
  if (known === undefined) return false;
  return known.isRsa === true
    ? isRsaSignature(spki, known.hash, signature, signed)
    : isEcdsaSignature(spki, known.hash, signature, signed);
}

async function isRsaSignature(
  spki: Uint8Array<ArrayBuffer>,
  hash: string,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const name = 'RSASSA-PKCS1-v1_5';
  const key = await crypto.subtle.importKey('spki', spki, { name, hash }, false, ['verify']);
  return crypto.subtle.verify(name, key, signature, signed);
}

/**
 * Verifies an ECDSA signature in DER (RFC 3279 §2.2.3).
 *
 * @param spki SubjectPublicKeyInfo, DER, of a key on P-256, P-384 or P-521
 * @returns false for whatever is no signature or no such key, too
 */
export function isEcdsaSignature(
  spki: Uint8Array<ArrayBuffer>,
  hash: string,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return verifyEcdsa(spki, hash, signature, signed).catch(() => false);
}

async function verifyEcdsa(
  spki: Uint8Array<ArrayBuffer>,
  hash: string,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const [algorithm] = childrenOf(elementAt(spki, 0));
  const curve = curves[hex(childrenOf(algorithm)[1]?.content ?? new Uint8Array())];
  if (curve === undefined) return false;
  const raw = new Uint8Array(2 * curve.bytes);
  const [r, s] = childrenOf(elementAt(signature, 0));
  for (const [index, number] of [r, s].entries()) {
    // Leading zeros make a number positive in DER.
    const digits = (number?.content ?? new Uint8Array()).subarray(-curve.bytes);
    raw.set(digits, (index + 1) * curve.bytes - digits.length);
  }
  if (hex(signature) !== hex(derSignature(raw))) return false;
  const parameters = { name: 'ECDSA', namedCurve: curve.name };
  const key = await crypto.subtle.importKey('spki', spki, parameters, false, ['verify']);
  return crypto.subtle.verify({ name: 'ECDSA', hash }, key, raw, signed);
}

/** The one DER of a signature whose numbers are these digits, half of them each. */
function derSignature(raw: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const [r, s] = [raw.subarray(0, raw.length / 2), raw.subarray(raw.length / 2)].map((digits) => {
    const first = digits.findIndex((byte) => byte !== 0);
    const short = digits.subarray(first < 0 ? -1 : first);
    return derElement(0x02, (short[0] ?? 0) < 0x80 ? [...short] : [0, ...short]);
  });
  return Uint8Array.from(derElement(0x30, [...(r ?? []), ...(s ?? [])]));
}

/** An element of at most 255 bytes. */
function derElement(tag: number, content: readonly number[]): readonly number[] {
  return [tag, ...(content.length < 0x80 ? [] : [0x81]), content.length, ...content];
}

/** @throws Error when it is no certificate */
function readCertificate(der: Uint8Array<ArrayBuffer>): Certificate {
  const [signed, algorithm, signature] = childrenOf(elementAt(der, 0));
  const fields = childrenOf(signed);
  // The version is tagged and comes first; certificates of version 1 have none.
  const first = fields[0]?.tag === 0xa0 ? 1 : 0;
  const [, , issuer, , subject, spki, ...others] = fields.slice(first);
  if (signed === undefined || issuer === undefined || subject === undefined || spki === undefined)
    throw new Error('A certificate cannot be read.');
  return {
    signed: signed.whole,
    issuer: issuer.whole,
    subject: subject.whole,
    spki: spki.whole,
    algorithm: hex(childrenOf(algorithm)[0]?.content ?? new Uint8Array()),
    // The first byte of a bit string counts unused bits: none.
    signature: (signature?.content ?? new Uint8Array()).slice(1),
    isCa: others.filter(({ tag }) => tag === 0xa3).some(saysCa),
  };
}

/** Tells whether extensions hold a basicConstraints with cA TRUE. */
function saysCa(extensions: Element): boolean {
  return childrenOf(childrenOf(extensions)[0]).some((extension) => {
    const [id, ...rest] = childrenOf(extension);
    const value = rest.at(-1);
    if (id === undefined || value === undefined || hex(id.content) !== BASIC_CONSTRAINTS)
      return false;
    return childrenOf(elementAt(value.content, 0)).some(
      ({ tag, content }) => tag === 0x01 && content[0] !== 0,
    );
  });
}

function childrenOf(element: Element | undefined): readonly Element[] {
  const children: Element[] = [];
  const content = element?.content ?? new Uint8Array();
  for (let at = 0; at < content.length;) {
    const child = elementAt(content, at);
    children.push(child);
    at += child.whole.length;
  }
  return children;
}

/** @throws Error when no whole element begins there */
function elementAt(bytes: Uint8Array<ArrayBuffer>, start: number): Element {
  const tag = bytes[start];
  const first = bytes[start + 1] ?? 0;
  let at = start + 2;
  let length = first;
  if (first > 0x80) {
    length = 0;
    for (const end = at + (first & 0x7f); at < end; at += 1)
      length = length * 256 + (bytes[at] ?? 0);
  }
  if (tag === undefined || at + length > bytes.length) throw new Error('DER ends too early.');
  return {
    tag,
    content: bytes.subarray(at, at + length),
    whole: bytes.subarray(start, at + length),
  };
}
