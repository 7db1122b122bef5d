import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { EventStore, NewEvent } from '../../../application/ports/eventStore.ts';
import type {
  SessionConfirmed,
  SessionEvent,
  SessionStarted,
} from '../../../domain/session/events.ts';
import { streamOf } from '../../../domain/shared/streams.ts';
import { createEventLog } from '../../../infrastructure/eventstore/eventLog.ts';
import { createPersonalDataVault } from '../../../infrastructure/codec/personalDataVault.ts';
import { createPostgresPersonKeys } from '../../../infrastructure/codec/postgresPersonKeys.ts';
import type { PostgresEventLog } from '../../../infrastructure/eventstore/postgresEventLog.ts';
import { createPool } from '../../../infrastructure/postgres/pool.ts';
import type { PersonalDataVault } from '../../../application/ports/personalDataVault.ts';
import { openBenchLog } from './eventLog.ts';

/** A log of finished sessions, decoded by the codec, personal fields encrypted. */
export interface SessionHistory {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly log: PostgresEventLog;
  readonly vault: PersonalDataVault;
  readonly eventStore: EventStore;
  readonly events: number;
  readonly sessions: number;
  close(): Promise<void>;
}

/** Number of citizens among which the sessions are distributed. */
const CITIZENS = 2000;

/**
 * Fills a database with at least `events` events through the event store: half of the sessions by
 * push (started, confirmed), half by device link (started, claimed, confirmed).
 */
export async function buildSessionHistory(
  databaseUrl: string,
  events: number,
): Promise<SessionHistory> {
  const log = await openBenchLog(databaseUrl);
  const pool = createPool({ url: databaseUrl });
  const vault = createPersonalDataVault({
    keys: createPostgresPersonKeys({ pool }),
    masterKey: randomBytes(32),
  });
  await vault.start();
  const eventStore = createEventLog({ store: log, vault });
  const sessions = Math.ceil(events / 5) * 2;
  let next = 0;
  await Promise.all(
    Array.from({ length: 256 }, async () => {
      while (next < sessions) {
        const index = next++;
        const id = randomUUID();
        await eventStore.append(streamOf('session', id), sessionEvents(id, index), 'none');
      }
    }),
  );
  await pool.query('vacuum analyze event');
  return {
    databaseUrl,
    pool,
    log,
    vault,
    eventStore,
    events: (sessions / 2) * 5,
    sessions,
    close: async () => {
      vault.stop();
      await log.stop();
      await pool.end();
    },
  };
}

/**
 * Events of a whole session: by push when `index` is even, by device link when odd.
 *
 * @param readableMs remaining time of readability, ms; default: ended an hour ago
 */
export function sessionEvents(
  sessionId: string,
  index: number,
  readableMs = -3_600_000,
): NewEvent[] {
  const civilId = String(100_000_000_000 + (index % CITIZENS));
  const byPush = index % 2 === 0;
  const documentNumber = `PNOMN-${civilId}-BNCH-Q`;
  const at = new Date(Date.now() + readableMs).toISOString();
  const started: SessionStarted = {
    type: 'SessionStarted',
    data: {
      sessionId,
      kind: 'AUTHENTICATION',
      flow: byPush ? 'NOTIFICATION' : 'DEVICE_LINK',
      generation: 'G1',
      relyingPartyId: '0d3f1f0a-7c9e-4a83-8d0e-53c2a9c9b1aa',
      relyingPartyName: 'Bench',
      registeredName: null,
      subsystem: null,
      civilId: byPush ? civilId : null,
      documentNumber: null,
      certificateLevel: 'QUALIFIED',
      interactions: [{ type: 'displayTextAndPIN', displayText60: 'Log in to the bench' }],
      interactionsAsSent: null,
      rpChallenge: randomBytes(32).toString('base64'),
      digest: null,
      hashType: null,
      vcType: 'alphaNumeric4',
      verificationCode: '7180',
      callbackUrl: null,
      fileName: null,
      onBehalfOf: null,
      nested: null,
      deviceLink: byPush
        ? null
        : {
            sessionToken: randomBytes(12).toString('hex'),
            sessionSecret: randomBytes(18).toString('base64'),
          },
      startedAt: at,
      answerBefore: at,
      readableUntil: at,
      openIdLogin: false,
      documents: null,
      documentTexts: null,
      riskSignals: null,
    },
  };
  const confirmed: SessionConfirmed = {
    type: 'SessionConfirmed',
    data: {
      documentNumber,
      civilId,
      signature: randomBytes(70).toString('base64'),
      signatureAlgorithm: 'ecdsa-with-SHA256',
      certificateSerial: '4f1c0a9be1d24c77',
      certificateLevel: 'QUALIFIED',
      interactionTypeUsed: 'displayTextAndPIN',
      nested: null,
      completedAt: at,
    },
  };
  const events: SessionEvent[] = byPush
    ? [started, confirmed]
    : [
        started,
        {
          type: 'SessionClaimed',
          data: { documentNumber, civilId, deviceLinkType: null, claimedAt: at },
        },
        confirmed,
      ];
  return events.map((event) => ({
    id: randomUUID(),
    event,
    metadata: {
      time: at,
      actor: { kind: 'relyingParty', id: '0d3f1f0a-7c9e-4a83-8d0e-53c2a9c9b1aa' },
      correlationId: sessionId,
      causationId: sessionId,
      requestId: sessionId,
      ip: '127.0.0.1',
    },
  }));
}
