import { randomBytes, webcrypto } from 'node:crypto';
import type pg from 'pg';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import type {
  PreparedDocument,
  PreparedDocuments,
} from '../../application/stamp/ports/preparedDocuments.ts';
import type { DocumentWarning } from '../../domain/shared/documentWarnings.ts';
import { failingFast } from './pool.ts';

export interface PreparedDocumentsOptions {
  readonly pool: pg.Pool;
  readonly vault: Pick<PersonalDataVault, 'encrypt' | 'decrypt'>;
  /** Storage quota of one relying party, bytes. */
  readonly maxBytesPerRelyingParty: number;
}

interface Row {
  readonly civil_id: string;
  readonly sealed_key: string;
  readonly content: Buffer;
}

interface WarningsRow {
  readonly digest: string;
  readonly civil_id: string;
  /** Null: written by the former release. */
  readonly sealed_warnings: string | null;
}

/**
 * Prepared documents in the table `prepared_document`: each encrypted (AES-256-GCM) under its own key, which is encrypted
 * under the citizen's. The warnings are encrypted under the citizen's a second time, apart from the PDF.
 */
export function createPostgresPreparedDocuments(
  options: PreparedDocumentsOptions,
): PreparedDocuments {
  const { pool, vault, maxBytesPerRelyingParty } = options;

  const find: PreparedDocuments['find'] = async (relyingPartyId, which, now) => {
    const [column, value] =
      'digest' in which ? ['digest', which.digest] : ['prepared_id', which.preparedId];
    const { rows } = await pool.query<Row>(
      `select civil_id, sealed_key, content from prepared_document
        where relying_party_id = $1 and ${column} = $2 and expires_at > $3
        order by expires_at desc limit 1`,
      [relyingPartyId, value, now],
    );
    const [row] = rows;
    if (row === undefined) return null;
    const key = await vault.decrypt(row.civil_id, row.sealed_key);
    return key === null ? null : decode(await decrypt(Buffer.from(key, 'base64'), row.content));
  };

  return failingFast<PreparedDocuments>({
    find,
    async keep(document) {
      const key = randomBytes(32);
      const content = await encrypt(key, encode(document));
      const encryptedKey = await vault.encrypt(document.civilId, key.toString('base64'));
      const warnings = await vault.encrypt(document.civilId, JSON.stringify(document.warnings));
      const { preparedId, relyingPartyId, digest, civilId, expiresAt } = document;
      const { rowCount } = await pool.query(
        `insert into prepared_document
           (prepared_id, relying_party_id, digest, civil_id, sealed_key, content, size, expires_at,
            sealed_warnings)
         select $1, $2, $3, $4, $5, $6::bytea, $7::int8, $8::timestamptz, $10
          where $7::int8 + coalesce((select sum(size) from prepared_document
                                where relying_party_id = $2 and expires_at > now()), 0) <= $9::int8`,
        [
          ...[preparedId, relyingPartyId, digest, civilId, encryptedKey, content, content.length],
          ...[expiresAt, maxBytesPerRelyingParty, warnings],
        ],
      );
      return rowCount === 1;
    },
    async warningsOf(relyingPartyId, digests, now) {
      const { rows } = await pool.query<WarningsRow>(
        `select distinct on (digest) digest, civil_id, sealed_warnings from prepared_document
          where relying_party_id = $1 and digest = any($2::text[]) and expires_at > $3
          order by digest, expires_at desc`,
        [relyingPartyId, digests, now],
      );
      const warnings = new Map<string, readonly DocumentWarning[]>();
      // One after another: a row of the former release is read with its PDF.
      for (const { digest, civil_id: civilId, sealed_warnings: sealed } of rows) {
        const found =
          sealed === null
            ? (await find(relyingPartyId, { digest }, now))?.warnings
            : unsealed(await vault.decrypt(civilId, sealed));
        warnings.set(digest, found ?? []);
      }
      return warnings;
    },
    async removeExpired(now) {
      await pool.query('delete from prepared_document where expires_at <= $1', [now]);
    },
  });
}

/** @param json null: the person was forgotten */
const unsealed = (json: string | null) =>
  json === null ? [] : (JSON.parse(json) as readonly DocumentWarning[]);

/** Length of the description, the description, the PDF. */
function encode({ pdf, ...rest }: PreparedDocument): Buffer {
  const { bytes, attributes, ...place } = pdf;
  const description = { ...rest, place, attributes: attributes.toString('base64') };
  const json = Buffer.from(JSON.stringify(description), 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, bytes]);
}

type Description = Omit<PreparedDocument, 'pdf'> & {
  readonly place: Omit<PreparedDocument['pdf'], 'bytes' | 'attributes'>;
  readonly attributes: string;
};

function decode(plain: Buffer): PreparedDocument {
  const end = 4 + plain.readUInt32BE(0);
  const description = JSON.parse(plain.toString('utf8', 4, end)) as Description;
  const { place, attributes, ...rest } = description;
  const pdf = {
    ...place,
    bytes: plain.subarray(end),
    attributes: Buffer.from(attributes, 'base64'),
  };
  return { ...rest, pdf };
}

const NONCE_BYTES = 12;

// Web Crypto works in the thread pool, which matters for long documents.

async function encrypt(key: Buffer, plain: Buffer): Promise<Buffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = { name: 'AES-GCM', iv: nonce };
  const encrypted = await webcrypto.subtle.encrypt(cipher, await cipherKey(key), plain);
  return Buffer.concat([nonce, Buffer.from(encrypted)]);
}

async function decrypt(key: Buffer, content: Buffer): Promise<Buffer> {
  const cipher = { name: 'AES-GCM', iv: content.subarray(0, NONCE_BYTES) };
  const encrypted = content.subarray(NONCE_BYTES);
  return Buffer.from(await webcrypto.subtle.decrypt(cipher, await cipherKey(key), encrypted));
}

function cipherKey(key: Buffer): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']);
}
