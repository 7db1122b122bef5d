import { base64Of, bytesOf, isSigned, rawSignature, type SignedHead } from './merkle.ts';

// Keys of tree heads by their certificates (RFC 5280), with WebCrypto only: independent of the service.

/** Keys as the service gives them; DER, base64. */
export interface GivenKeys {
  readonly rootCertificate: string;
  readonly keys: readonly { readonly publicKey: string; readonly certificate: string | null }[];
}

interface Element {
  readonly whole: Uint8Array<ArrayBuffer>;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Elements of a DER sequence in order. */
function elementsOf(content: Uint8Array<ArrayBuffer>): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < content.length;) {
    const short = content[at + 1] ?? 0;
    const more = short > 0x80 ? short - 0x80 : 0;
    const length = more === 0 ? short : numberOf(content.subarray(at + 2, at + 2 + more));
    const start = at + 2 + more;
    found.push({
      whole: content.slice(at, start + length),
      content: content.slice(start, start + length),
    });
    at = start + length;
  }
  return found;
}

const numberOf = (bytes: Uint8Array) => bytes.reduce((value, byte) => value * 256 + byte, 0);

/** Parts of a certificate that are read here; §4.1. */
function partsOf(certificate: string) {
  const [sequence] = elementsOf(bytesOf(certificate));
  const [signed, , signature] = elementsOf(sequence?.content ?? new Uint8Array());
  const fields = elementsOf(signed?.content ?? new Uint8Array());
  const [, , , issuer, , subject, publicKey, ...rest] = fields.map(({ whole }) => whole);
  if (signed === undefined || signature === undefined || publicKey === undefined) return null;
  // The first byte of a BIT STRING counts unused bits.
  return {
    signed: signed.whole,
    signature: signature.content.slice(1),
    issuer,
    subject,
    publicKey,
    rest,
  };
}

/** id-ce-basicConstraints, which only certificates of authorities have here. */
const BASIC_CONSTRAINTS = '\u0006\u0003\u0055\u001d\u0013';

/** Tells whether the root issued this certificate itself, for this key and not for an authority. */
async function isCertified(publicKey: string, certificate: string, root: string) {
  const [leaf, issuer] = [partsOf(certificate), partsOf(root)];
  if (leaf === null || issuer === null || base64Of(leaf.publicKey) !== publicKey) return false;
  if (base64Of(leaf.issuer ?? leaf.signed) !== base64Of(issuer.subject ?? issuer.signed))
    return false;
  if (leaf.rest.some((each) => String.fromCharCode(...each).includes(BASIC_CONSTRAINTS)))
    return false;
  const algorithm = { name: 'ECDSA', namedCurve: 'P-384' };
  const key = await crypto.subtle.importKey('spki', issuer.publicKey, algorithm, false, ['verify']);
  const signature = rawSignature(leaf.signature, 48);
  return crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-384' }, key, signature, leaf.signed);
}

const PINNED = 'tamga.rootCertificate';

/** The root this browser saw first is the one it trusts. */
function isPinned(root: string): boolean {
  const pinned = localStorage.getItem(PINNED);
  if (pinned === null) localStorage.setItem(PINNED, root);
  return pinned === null || pinned === root;
}

/** Result of checking who signed a head; `certified`: a key that the pinned root certified. */
export type Signer = 'certified' | 'uncertifiedKey' | 'otherRoot' | 'wrongSignature';

export async function signerOf(head: SignedHead, given: GivenKeys): Promise<Signer> {
  const { rootCertificate: root, keys } = given;
  if (!isPinned(root)) return 'otherRoot';
  const certified: string[] = [];
  for (const { publicKey, certificate } of keys) {
    if (certificate === null || !(await isCertified(publicKey, certificate, root))) continue;
    certified.push(publicKey);
  }
  if (await isSigned(head, certified)) return 'certified';
  const all = keys.map(({ publicKey }) => publicKey);
  return (await isSigned(head, all)) ? 'uncertifiedKey' : 'wrongSignature';
}
