import { createHash, timingSafeEqual } from 'node:crypto';
import { combine, split } from 'shamir-secret-sharing';

/** A custodian of a share. */
export interface Custodian {
  readonly name: string;
  /**
   * SHA-256 of the share, hexadecimal: tells a wrong share from a right one. A share is 256 random bits and a coordinate,
   * so that nothing follows from it.
   */
  readonly sha256: string;
}

/** Public part of a secret that is shared. */
export interface SharedSecret {
  /** Fingerprint of the key that the secret opens; shares name it. */
  readonly of: string;
  /** Shares that are needed. */
  readonly threshold: number;
  readonly custodians: readonly Custodian[];
}

/** A share, or the number of them, that does not open the secret; the message names it. */
export class WrongShare extends Error {
  override readonly name = 'WrongShare';
}

/** A share that belongs to the secret. Wiped once it is joined. */
export interface OpenShare {
  readonly custodian: Custodian;
  readonly bytes: Uint8Array;
}

/** 32 bytes of the secret and the coordinate. */
const SHARE_BYTES = 33;

/**
 * Shares a secret by Shamir's scheme over GF(2^8).
 *
 * @param secret 32 bytes
 * @param names of the custodians, each once; at least two
 * @returns the public part and the text of each share, in the order of the names
 * @throws Error when the threshold is below two or above the number of custodians, or a name is given twice
 */
export async function shareSecret(
  secret: Uint8Array,
  { of, names, threshold }: { of: string; names: readonly string[]; threshold: number },
): Promise<{ readonly shared: SharedSecret; readonly texts: readonly string[] }> {
  refuseBadNumbers(names, threshold);
  // The library takes no Buffer.
  const copy = Uint8Array.from(secret);
  const shares = await split(copy, names.length, threshold);
  copy.fill(0);
  const custodians = names.map((name, index) => ({ name, sha256: hashOf(shares[index]) }));
  const shared = { of, threshold, custodians };
  const texts = shares.map((share, index) => textOf(share, shared, index));
  for (const share of shares) share.fill(0);
  return { shared, texts };
}

/** @throws Error that says what is wrong with custodians or threshold */
export function refuseBadNumbers(names: readonly string[], threshold: number): void {
  if (new Set(names).size < names.length) throw new Error('Name each custodian once.');
  if (names.length > 255) throw new Error('There are at most 255 custodians.');
  if (Number.isInteger(threshold) && threshold >= 2 && threshold <= names.length) return;
  throw new Error(
    `The threshold must be a whole number from 2 to the number of custodians (${names.length}).`,
  );
}

function textOf(share: Uint8Array, { of, threshold, custodians }: SharedSecret, index: number) {
  const hex = Buffer.from(share.buffer, share.byteOffset, share.length).toString('hex');
  return [
    `Share ${index + 1} of ${custodians.length}; any ${threshold} open the key.`,
    `Key: ${of}`,
    `Custodian: ${custodians[index]?.name ?? ''}`,
    `Share: ${(hex.match(/.{1,6}/g) ?? []).join(' ')}`,
    '',
  ].join('\n');
}

const lineOf = (text: string, name: string) =>
  new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, 'm').exec(text)?.[1];

/**
 * Reads a share and tells whether it belongs to the secret.
 *
 * @param source what it is named by in messages, such as its file
 * @throws WrongShare
 */
export function readShare(text: string, source: string, shared: SharedSecret): OpenShare {
  const hex = lineOf(text, 'Share')?.replaceAll(/\s/g, '') ?? '';
  if (!/^[0-9a-f]+$/i.test(hex) || hex.length !== 2 * SHARE_BYTES) {
    throw new WrongShare(
      `${source} contains no share, which is a line "Share:" with ${SHARE_BYTES} bytes in hexadecimal.`,
    );
  }
  const of = lineOf(text, 'Key');
  if (of !== undefined && of !== shared.of) {
    throw new WrongShare(`${source} is a share of another key (${of}), not of ${shared.of}.`);
  }
  // Decoded in place: a buffer of its own would be memory that others share, and stay there.
  const bytes = new Uint8Array(SHARE_BYTES);
  Buffer.from(bytes.buffer).write(hex, 'hex');
  const hash = Buffer.from(hashOf(bytes), 'hex');
  const custodian = shared.custodians.find(({ sha256 }) =>
    timingSafeEqual(Buffer.from(sha256, 'hex'), hash),
  );
  if (custodian !== undefined) return { custodian, bytes };
  bytes.fill(0);
  throw new WrongShare(
    `${source} contains a wrong share${nameIn(text)}: it is not one of the ${shared.custodians.length} of this key. Compare it with the paper, letter by letter.`,
  );
}

function nameIn(text: string): string {
  const name = lineOf(text, 'Custodian') ?? '';
  return name === '' ? '' : ` (it says ${name})`;
}

/**
 * Joins shares to the secret and wipes them, also when they do not open it.
 *
 * @throws WrongShare when they are too few; one that is given twice counts once
 */
export async function joinShares(
  shares: readonly OpenShare[],
  { threshold, custodians }: SharedSecret,
): Promise<Buffer> {
  const distinct = [...new Map(shares.map((share) => [share.custodian.sha256, share])).values()];
  try {
    if (distinct.length < threshold) {
      throw new WrongShare(
        `${distinct.length} of the ${custodians.length} shares ${distinct.length === 1 ? 'was' : 'were'} given, ${threshold} are needed: the key stays closed.`,
      );
    }
    const joined = await combine(distinct.slice(0, threshold).map(({ bytes }) => bytes));
    return Buffer.from(joined.buffer, joined.byteOffset, joined.length);
  } finally {
    wipe(shares);
  }
}

/** Overwrites the shares in memory. */
export function wipe(shares: readonly OpenShare[]): void {
  for (const { bytes } of shares) bytes.fill(0);
}

function hashOf(share: Uint8Array | undefined): string {
  return createHash('sha256')
    .update('tamga share v1\0')
    .update(share ?? '')
    .digest('hex');
}
