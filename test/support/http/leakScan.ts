import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

/** A value to look for, in one of the forms it could hide in. */
export interface Needle {
  /** Name and form of the value, for the report. */
  readonly label: string;
  readonly bytes: Buffer;
}

/** The forms in which a text could stand in a table, a certificate or a file: plain, escaped, UTF-16, base64, hexadecimal. */
export function needlesOf(label: string, text: string): readonly Needle[] {
  const utf8 = Buffer.from(text, 'utf8');
  const utf16 = Buffer.from(text, 'utf16le').swap16();
  const escaped = text.replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [
    { label: `${label} in UTF-8`, bytes: utf8 },
    { label: `${label} in UTF-16`, bytes: utf16 },
    { label: `${label} in JSON escapes`, bytes: Buffer.from(escaped) },
    ...bytesNeedles(label, utf8),
  ];
}

/** The forms of raw bytes: as they are, hexadecimal, base64 at each of the three alignments. */
export function bytesNeedles(label: string, bytes: Buffer): readonly Needle[] {
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // The characters that also depend on the neighbouring bytes are left out.
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(Math.ceil((before * 8) / 6), end);
  });
  return [
    { label: `${label} raw`, bytes },
    { label: `${label} in hexadecimal`, bytes: Buffer.from(hex) },
    { label: `${label} in upper-case hexadecimal`, bytes: Buffer.from(hex.toUpperCase()) },
    ...base64.map((text) => ({ label: `${label} in base64`, bytes: Buffer.from(text) })),
  ];
}

/** Every row of every table outside the system's own, as text: what a full dump of the database would hold. */
export async function dumpTables(pool: pg.Pool): Promise<ReadonlyMap<string, Buffer>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const dump = new Map<string, Buffer>();
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t`);
    dump.set(`table ${name}`, Buffer.from(rows.map(({ row }) => row).join('\n')));
  }
  return dump;
}

/**
 * The server's files after a checkpoint: those of this database and those all databases share, without the write-ahead
 * log.
 */
export async function readDataFiles(pool: pg.Pool): Promise<ReadonlyMap<string, Buffer>> {
  await pool.query('checkpoint');
  const { rows } = await pool.query<{ directory: string; database: string }>(
    `select current_setting('data_directory') as directory, oid::text as database
       from pg_database where datname = current_database()`,
  );
  const { directory = '', database = '' } = rows[0] ?? {};
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(directory.length + 1);
    const isOthers = /^base\/\d+\//.test(path) && !path.startsWith(`base/${database}/`);
    if (!entry.isFile() || isOthers || path.startsWith('pg_wal/')) continue;
    const content = await readFile(join(directory, path)).catch(ignoreGone);
    if (content !== undefined) files.set(`file ${path}`, content);
  }
  return files;
}

/** Places of the values found: `label: place`, sorted. */
export function findNeedles(
  haystacks: ReadonlyMap<string, Buffer>,
  needles: readonly Needle[],
): readonly string[] {
  const found: string[] = [];
  for (const [place, content] of haystacks) {
    for (const { label, bytes } of needles) {
      if (content.includes(bytes)) found.push(`${label}: ${place}`);
    }
  }
  return found.sort();
}

function ignoreGone(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
}
