import pg from 'pg';
import { sampleTexts } from '../support/sampleEvent.ts';

/**
 * Creates a table with the columns, constraints and indexes of the event log, but with an identity
 * column as position: the simplest alternative to the log. The log's own migration must have run.
 */
export async function createPeerTable(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('create table peer_event (like event including all)');
    await client.query(
      'alter table peer_event alter column position add generated always as identity',
    );
  } finally {
    await client.end();
  }
}

/** pgbench script that appends one event of the bench's size to a new stream. */
export const singleRowInsertScript =
  `insert into peer_event (stream, revision, event_id, type, data, metadata) values ` +
  `('session-' || gen_random_uuid(), 0, gen_random_uuid(), 'SessionStarted', '${sampleTexts.data}', '${sampleTexts.metadata}');\n`;
