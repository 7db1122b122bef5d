import type pg from 'pg';

// Both peers fill copies of the sessions table from the log without the projector. They decrypt
// nothing: the session read model contains no personal text.

/** Rebuilds the whole table in one statement, grouped by stream: the bound of PostgreSQL alone. */
export async function rebuildBySql(pool: pg.Pool): Promise<void> {
  await pool.query('drop table if exists peer_session_view');
  await pool.query('create table peer_session_view (like session_view)');
  await pool.query(`
    insert into peer_session_view
    select
      s->>'sessionId', s->>'relyingPartyId', s->>'kind', s->>'flow',
      coalesce(f->>'civilId', c->>'civilId', s->>'civilId'),
      coalesce(f->>'documentNumber', c->>'documentNumber', s->>'documentNumber'),
      case when f is null then 'RUNNING' else 'COMPLETE' end,
      case when f is null then null else 'OK' end,
      null, f->>'signature', f->>'signatureAlgorithm', f->>'certificateSerial',
      f->>'certificateLevel', f->>'interactionTypeUsed',
      (s->>'startedAt')::timestamptz, (s->>'answerBefore')::timestamptz,
      (s->>'readableUntil')::timestamptz, (f->>'completedAt')::timestamptz, revision,
      coalesce((s->>'openIdLogin')::boolean, false)
    from (
      select stream, max(revision) as revision,
        (max(data) filter (where type = 'SessionStarted'))::jsonb as s,
        (max(data) filter (where type = 'SessionClaimed'))::jsonb as c,
        (max(data) filter (where type = 'SessionConfirmed'))::jsonb as f
      from event where stream like 'session-%' group by stream
    ) as sessions`);
  await pool.query('alter table peer_session_view add primary key (session_id)');
}

const UPSERT = `
  insert into peer_naive_view (session_id, relying_party_id, kind, flow, civil_id, document_number, status,
    end_result, signature, started_at, answer_before, readable_until, completed_at, revision)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  on conflict (session_id) do update set civil_id = excluded.civil_id,
    document_number = excluded.document_number, status = excluded.status, end_result = excluded.end_result,
    signature = excluded.signature, completed_at = excluded.completed_at, revision = excluded.revision`;

interface NaiveRow {
  readonly type: string;
  readonly stream: string;
  readonly data: string;
  readonly revision: string;
}

/**
 * Rebuilds with one upsert, and so one transaction, per event, in order: the simplest projection.
 */
export async function rebuildNaively(pool: pg.Pool, events: number): Promise<void> {
  await pool.query('drop table if exists peer_naive_view');
  await pool.query('create table peer_naive_view (like session_view including all)');
  const { rows } = await pool.query<NaiveRow>(
    'select type, stream, data, revision::text from event order by position limit $1',
    [events],
  );
  const started = new Map<string, Record<string, string | null>>();
  const client = await pool.connect();
  try {
    for (const { type, stream, data, revision } of rows) {
      const event = JSON.parse(data) as Record<string, string | null>;
      const first = started.get(stream) ?? event;
      started.set(stream, first);
      const complete = type === 'SessionConfirmed';
      await client.query({
        name: 'naive_upsert',
        text: UPSERT,
        values: [
          stream.slice('session-'.length),
          ...[first['relyingPartyId'], first['kind'], first['flow']],
          ...[event['civilId'] ?? first['civilId'] ?? null, event['documentNumber'] ?? null],
          ...[
            complete ? 'COMPLETE' : 'RUNNING',
            complete ? 'OK' : null,
            event['signature'] ?? null,
          ],
          ...[first['startedAt'], first['answerBefore'], first['readableUntil']],
          ...[event['completedAt'] ?? null, revision],
        ],
      });
    }
  } finally {
    client.release();
  }
}
