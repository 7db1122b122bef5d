import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { createServer } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import pg from 'pg';
import { z } from 'zod';
import { serveChild } from '../support/childServer.ts';
import { createBody, listen, RUNNING } from './common.ts';

// The whole cycle in a simple but honest implementation: Express, JSON and zod, a connection pool,
// one transaction and one NOTIFY per command, signature and bearer secret really verified, the poll
// notified by LISTEN. No group commit, no batching, no cache. As many durable events per cycle as
// Tamga.

interface Settings {
  readonly databaseUrl: string;
  readonly secretHash: string;
  /** Citizen's authentication key, SubjectPublicKeyInfo in base64 DER. */
  readonly publicKey: string;
}

const confirmBody = z.object({ verificationCode: z.string(), signature: z.base64() });

const SCHEMA = `
  create table if not exists naive_events (
    position bigint generated always as identity primary key,
    stream text not null, revision bigint not null, id uuid not null unique,
    type text not null, data jsonb not null, metadata jsonb not null,
    unique (stream, revision));
  create table if not exists naive_sessions (
    id uuid primary key, relying_party text not null, challenge text not null,
    status text not null, signature text);`;
const INSERT_EVENT =
  'insert into naive_events (stream, revision, id, type, data, metadata) values ($1, $2, $3, $4, $5, $6)';

await serveChild<Settings>(async (settings) => {
  const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: 32 });
  await pool.query(SCHEMA);
  const listener = new pg.Client({ connectionString: settings.databaseUrl });
  await listener.connect();
  await listener.query('listen naive_sessions');
  const waiters = new Map<string, () => void>();
  listener.on('notification', ({ payload }) => waiters.get(payload ?? '')?.());
  const key = createPublicKey({
    key: Buffer.from(settings.publicKey, 'base64'),
    format: 'der',
    type: 'spki',
  });

  const app = express();
  app.use(express.json());
  app.use((request, response, next) => requireSecret(settings, request, response, next));
  app.post('/session', async (request, response) => {
    const body = createBody.parse(request.body);
    const id = crypto.randomUUID();
    await inTransaction(pool, async (client) => {
      await client.query(INSERT_EVENT, eventRow(id, 0, 'SessionStarted', body));
      await client.query('insert into naive_sessions values ($1, $2, $3, $4, null)', [
        id,
        body.relyingPartyUUID,
        body.rpChallenge,
        'RUNNING',
      ]);
    });
    response.json({ sessionID: id });
  });
  app.post('/session/:id/confirm', async (request, response) => {
    const body = confirmBody.parse(request.body);
    const confirmed = await inTransaction(pool, (client) =>
      confirm(client, request.params.id, body, key),
    );
    response.status(confirmed ? 200 : 409).json({});
  });
  app.get('/session/:id', async (request, response) => {
    response.json(await poll(pool, waiters, request.params.id));
  });

  const server = createServer(app);
  const port = await listen(server);
  return {
    port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await listener.end();
      await pool.end();
    },
  };
});

function requireSecret(
  settings: Settings,
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  const secret = request.headers.authorization?.slice('Bearer '.length) ?? '';
  const hash = createHash('sha256').update(secret).digest('hex');
  if (hash === settings.secretHash) next();
  else response.status(401).json({ error: 'Not authenticated' });
}

async function inTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

function eventRow(id: string, revision: number, type: string, data: object): unknown[] {
  const metadata = { time: new Date().toISOString(), correlationId: id };
  return [`session-${id}`, revision, crypto.randomUUID(), type, data, metadata];
}

async function confirm(
  client: pg.PoolClient,
  id: string,
  body: z.infer<typeof confirmBody>,
  key: KeyObject,
): Promise<boolean> {
  const found = await client.query<{ challenge: string; status: string }>(
    'select challenge, status from naive_sessions where id = $1 for update',
    [id],
  );
  const session = found.rows[0];
  if (session?.status !== 'RUNNING') return false;
  const payload = Buffer.from(session.challenge, 'base64');
  if (!verify('sha256', payload, key, Buffer.from(body.signature, 'base64'))) return false;
  await client.query(INSERT_EVENT, eventRow(id, 1, 'SessionConfirmed', body));
  await client.query(
    "update naive_sessions set status = 'COMPLETE', signature = $2 where id = $1",
    [id, body.signature],
  );
  await client.query("select pg_notify('naive_sessions', $1)", [id]);
  return true;
}

async function poll(pool: pg.Pool, waiters: Map<string, () => void>, id: string): Promise<object> {
  const woken = new Promise<void>((resolve) => {
    waiters.set(id, resolve);
  });
  try {
    const before = await readSession(pool, id);
    if (before !== null) return before;
    const timer = setTimeout(() => waiters.get(id)?.(), 30_000);
    await woken;
    clearTimeout(timer);
    return (await readSession(pool, id)) ?? RUNNING;
  } finally {
    waiters.delete(id);
  }
}

async function readSession(pool: pg.Pool, id: string): Promise<object | null> {
  const { rows } = await pool.query<{ status: string; signature: string }>(
    'select status, signature from naive_sessions where id = $1',
    [id],
  );
  const session = rows[0];
  if (session?.status !== 'COMPLETE') return null;
  return { state: 'COMPLETE', signature: { value: session.signature } };
}
