import type pg from 'pg';
import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import { LogLostEvents } from '../../application/ports/faults.ts';

/** Memory of the newest event that this process saw in the log. */
export interface LogEnd {
  saw(events: readonly Pick<LoggedEvent, 'position' | 'id'>[]): void;
  /**
   * Compares with the log a new connection leads to, and forgets what is lost.
   *
   * @returns null while the log holds everything seen
   */
  lostEvents(client: Pick<pg.Client, 'query'>): Promise<LogLostEvents | null>;
}

interface Mark {
  readonly position: bigint;
  readonly id: string;
}

const SEEN = 'select position, event_id from event where position = $1';

const LAST = 'select position, event_id from recent_event order by position desc limit 1';

/**
 * A failover to a standby that lagged, a restored backup or a crash with synchronous_commit=off give the positions of
 * lost events to others: so the event is compared, not only the position.
 */
export function createLogEnd(): LogEnd {
  let seen: Mark | null = null;

  async function find(
    client: Pick<pg.Client, 'query'>,
    text: string,
    values: readonly string[] = [],
  ): Promise<Mark | null> {
    const { rows } = await client.query<{ position: string; event_id: string }>(text, [...values]);
    const [row] = rows;
    return row === undefined ? null : { position: BigInt(row.position), id: row.event_id };
  }

  return {
    saw(events) {
      const last = events.at(-1);
      if (last === undefined || (seen !== null && last.position <= seen.position)) return;
      seen = { position: last.position, id: last.id };
    },
    async lostEvents(client) {
      for (;;) {
        const before = seen;
        const found = before && (await find(client, SEEN, [String(before.position)]));
        const last = await find(client, LAST);
        // Another connection was faster.
        if (seen !== before) continue;
        if (before === null || found?.id === before.id) {
          seen ??= last;
          return null;
        }
        seen = last;
        return new LogLostEvents(before.position, last?.position ?? 0n);
      }
    },
  };
}
