import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { publicKeyOf, rawPublicKey } from './ageKeys.ts';

/**
 * Files in the format of age, version 1 (https://age-encryption.org/v1), for X25519 recipients: the file's key is wrapped
 * for each recipient, the content encrypted in chunks of 64 KiB with ChaCha20-Poly1305, so that a file of any size takes
 * the memory of one. Who has an identity can also open them with `age -d`.
 */

const VERSION = 'age-encryption.org/v1';
const CIPHER = 'chacha20-poly1305';
const FILE_KEY_BYTES = 16;
const NONCE_BYTES = 16;
const TAG_BYTES = 16;
const CHUNK_BYTES = 64 * 1024;
/** Longest header read; a recipient takes some 100 bytes of it. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Failure to open: no whole file for one of these identities; the message goes on after the name of the file. */
export class NotOpened extends Error {
  override readonly name = 'NotOpened';
}

/** Encrypts a content for these recipients. */
export async function* encrypted(
  content: AsyncIterable<Uint8Array>,
  recipients: readonly KeyObject[],
): AsyncGenerator<Buffer> {
  const fileKey = randomBytes(FILE_KEY_BYTES);
  const stanzas = recipients.map((recipient) => stanzaFor(recipient, fileKey));
  const header = `${VERSION}\n${stanzas.join('')}---`;
  const nonce = randomBytes(NONCE_BYTES);
  yield Buffer.concat([Buffer.from(`${header} ${macOf(fileKey, header)}\n`), nonce]);
  const key = payloadKey(fileKey, nonce);
  let index = 0;
  for await (const { chunk, isLast } of chunksOf(content, CHUNK_BYTES)) {
    const cipher = createCipheriv(CIPHER, key, chunkNonce(index, isLast), {
      authTagLength: TAG_BYTES,
    });
    const sealed = Buffer.concat([cipher.update(chunk), cipher.final()]);
    yield Buffer.concat([sealed, cipher.getAuthTag()]);
    index += 1;
  }
}

/** Reverses {@link encrypted}; what is yielded was authenticated. @throws NotOpened */
export async function* decrypted(
  file: AsyncIterable<Uint8Array>,
  identities: readonly KeyObject[],
): AsyncGenerator<Buffer> {
  const { header, rest } = await headerOf(file);
  const fileKey = fileKeyIn(header, identities);
  const pieces = rest[Symbol.asyncIterator]();
  const { bytes: nonce, rest: payload } = await taken(pieces, NONCE_BYTES);
  const key = payloadKey(fileKey, nonce);
  let index = 0;
  for await (const { chunk, isLast } of chunksOf(payload, CHUNK_BYTES + TAG_BYTES)) {
    if (chunk.length < TAG_BYTES) throw new NotOpened('is truncated');
    yield openChunk(key, chunk, chunkNonce(index, isLast));
    index += 1;
  }
}

function openChunk(key: Buffer, chunk: Buffer, nonce: Buffer): Buffer {
  const end = chunk.length - TAG_BYTES;
  const cipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAuthTag(chunk.subarray(end));
  try {
    return Buffer.concat([cipher.update(chunk.subarray(0, end)), cipher.final()]);
  } catch {
    throw new NotOpened('is truncated, or was changed');
  }
}

// Header

function stanzaFor(recipient: KeyObject, fileKey: Buffer): string {
  const ephemeral = generateKeyPairSync('x25519');
  const share = rawPublicKey(ephemeral.publicKey);
  const key = wrappingKey(ephemeral.privateKey, recipient, [share, rawPublicKey(recipient)]);
  const cipher = createCipheriv(CIPHER, key, Buffer.alloc(12), { authTagLength: TAG_BYTES });
  const wrapped = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
  return `-> X25519 ${base64(share)}\n${base64(wrapped)}\n`;
}

const STANZA = /^-> X25519 ([A-Za-z0-9+/]{43})\n([A-Za-z0-9+/]{43})\n/gmu;
const MAC = /^--- ([A-Za-z0-9+/]{43})\n$/mu;

function fileKeyIn(header: string, identities: readonly KeyObject[]): Buffer {
  for (const [, share = '', body = ''] of header.matchAll(STANZA)) {
    for (const identity of identities) {
      const fileKey = unwrapped(
        Buffer.from(share, 'base64'),
        Buffer.from(body, 'base64'),
        identity,
      );
      if (fileKey !== null) return confirmed(fileKey, header);
    }
  }
  throw new NotOpened('is encrypted to another recipient: no given identity opens it');
}

function unwrapped(share: Buffer, body: Buffer, identity: KeyObject): Buffer | null {
  const key = wrappingKey(identity, publicKeyOf(share), [share, rawPublicKey(identity)]);
  const cipher = createDecipheriv(CIPHER, key, Buffer.alloc(12), { authTagLength: TAG_BYTES });
  cipher.setAuthTag(body.subarray(FILE_KEY_BYTES));
  try {
    return Buffer.concat([cipher.update(body.subarray(0, FILE_KEY_BYTES)), cipher.final()]);
  } catch {
    return null;
  }
}

function confirmed(fileKey: Buffer, header: string): Buffer {
  const mac = MAC.exec(header)?.[1] ?? '';
  const signed = header.slice(0, header.lastIndexOf(' '));
  const expected = Buffer.from(macOf(fileKey, signed));
  const found = Buffer.from(mac);
  if (found.length === expected.length && timingSafeEqual(found, expected)) return fileKey;
  throw new NotOpened('has a header that was changed');
}

/** Reads up to the end of the header's last line. */
async function headerOf(file: AsyncIterable<Uint8Array>) {
  const pieces = file[Symbol.asyncIterator]();
  let read = Buffer.alloc(0);
  for (;;) {
    const mark = read.indexOf('\n--- ');
    const end = mark === -1 ? -1 : read.indexOf('\n', mark + 1);
    if (end !== -1 && read.toString('latin1', 0, VERSION.length + 1) === `${VERSION}\n`) {
      const header = read.toString('latin1', 0, end + 1);
      return { header, rest: resumed(read.subarray(end + 1), pieces) };
    }
    const next = await pieces.next();
    if (next.done === true || read.length > MAX_HEADER_BYTES) {
      throw new NotOpened('is not a file of a backup');
    }
    read = Buffer.concat([read, next.value]);
  }
}

async function* resumed(
  first: Buffer,
  pieces: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    yield next.value;
  }
}

// Payload

/** Pieces of exactly `size` bytes but for the last; at least one, which is empty where the content is. */
async function* chunksOf(
  content: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ readonly chunk: Buffer; readonly isLast: boolean }> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const piece of content) {
    held.push(Buffer.from(piece));
    length += piece.length;
    if (length <= size) continue;
    const all = Buffer.concat(held, length);
    let at = 0;
    // A full chunk is kept back: it may be the last one.
    for (; length - at > size; at += size) {
      yield { chunk: all.subarray(at, at + size), isLast: false };
    }
    held = [all.subarray(at)];
    length -= at;
  }
  yield { chunk: Buffer.concat(held, length), isLast: true };
}

/** Reads the first bytes. @throws NotOpened when there are fewer */
async function taken(pieces: AsyncIterator<Uint8Array>, length: number) {
  let read = Buffer.alloc(0);
  while (read.length < length) {
    const next = await pieces.next();
    if (next.done === true) throw new NotOpened('is truncated');
    read = Buffer.concat([read, next.value]);
  }
  return { bytes: read.subarray(0, length), rest: resumed(read.subarray(length), pieces) };
}

function chunkNonce(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(index, 5, 6);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

// Keys

function derived(secret: Uint8Array, salt: Uint8Array, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, 32));
}

function wrappingKey(
  privateKey: KeyObject,
  publicKey: KeyObject,
  shares: readonly Uint8Array[],
): Buffer {
  const secret = diffieHellman({ privateKey, publicKey });
  return derived(secret, Buffer.concat(shares), `${VERSION}/X25519`);
}

const payloadKey = (fileKey: Buffer, nonce: Buffer) => derived(fileKey, nonce, 'payload');

function macOf(fileKey: Buffer, header: string): string {
  const key = derived(fileKey, Buffer.alloc(0), 'header');
  return base64(createHmac('sha256', key).update(header).digest());
}

/** Without padding, as age writes it. */
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
