import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import pg from 'pg';

// Files in the order of message-db's install.sh, without roles and privileges: the bench owns the
// database.
const FILES = [
  'schema/message-store.sql',
  'tables/messages.sql',
  'types/message.sql',
  'functions/message-store-version.sql',
  'functions/hash-64.sql',
  'functions/acquire-lock.sql',
  'functions/category.sql',
  'functions/is-category.sql',
  'functions/id.sql',
  'functions/cardinal-id.sql',
  'functions/stream-version.sql',
  'functions/write-message.sql',
  'indexes/messages-id.sql',
  'indexes/messages-stream.sql',
  'indexes/messages-category.sql',
];

/** Search path required by message-db's functions. */
export const MESSAGE_DB_SEARCH_PATH = 'message_store,public';

/** Installs message-db from its package's SQL files. */
export async function installMessageDb(url: string): Promise<void> {
  const root = join(
    dirname(createRequire(import.meta.url).resolve('@eventide/message-db/package.json')),
    'database',
  );
  const client = new pg.Client({
    connectionString: url,
    options: `-c search_path=${MESSAGE_DB_SEARCH_PATH}`,
  });
  await client.connect();
  try {
    for (const file of FILES) await client.query(await readFile(join(root, file), 'utf8'));
  } finally {
    await client.end();
  }
}

/**
 * pgbench script that writes one message per transaction to a new stream, all in one category, like
 * sessions.
 *
 * @param data JSON text without single quotes
 */
export function writeMessageScript(data: string, metadata: string): string {
  return `SELECT write_message(gen_random_uuid()::text, 'session-' || gen_random_uuid(), 'SessionStarted', '${data}'::jsonb, '${metadata}'::jsonb, -1);\n`;
}
