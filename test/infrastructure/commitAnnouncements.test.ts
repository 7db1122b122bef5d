import { expect } from 'chai';
import pg from 'pg';
import {
  announce,
  createCommitAnnouncements,
} from '../../infrastructure/eventstore/postgresConnections.ts';
import { until } from '../support/assertions/waiting.ts';
import { anEvent, collect } from '../contracts/eventLogContract.ts';
import { migratedDatabase, startPostgresEventLog } from '../support/events/eventLogs.ts';

const append = (stream: string, ...events: ReturnType<typeof anEvent>[]) => ({ stream, events });
const [one, other] = [41, 42];

describe('The streams of a commit, announced to the other processes', () => {
  it('are known without a read when the commit joins the one before', () => {
    const [first, last] = [anEvent(), anEvent()];
    const commits = createCommitAnnouncements();
    commits.reached(other, 7n);
    commits.announced(one, announce([append('session-a', first), append('session-b', last)]));
    expect(commits.reached(one, 9n)).to.deep.equal({
      previous: 7n,
      last: 9n,
      streams: ['session-a', 'session-b'],
      id: last.id,
    });
  });

  const unknown: Record<string, (commits: ReturnType<typeof createCommitAnnouncements>) => void> = {
    'of the first commit notified': (commits) =>
      commits.announced(one, announce([append('a', anEvent())])),
    'behind a commit without a notification': (commits) => {
      commits.reached(other, 7n);
      commits.announced(one, announce([append('a', anEvent())]));
    },
    'of a writer that announces nothing': (commits) => commits.reached(other, 8n),
    'announced by another process': (commits) => {
      commits.reached(other, 8n);
      commits.announced(other, announce([append('a', anEvent())]));
    },
    'announced with an append that was then refused': (commits) => {
      commits.reached(other, 8n);
      commits.announced(one, announce([append('a', anEvent()), append('b', anEvent())]));
    },
    'more than a notification holds': (commits) => {
      commits.reached(other, 8n);
      const name = 'x'.repeat(8000);
      commits.announced(one, announce([append(name, anEvent())]));
    },
    'with a line break in a name': (commits) => {
      commits.reached(other, 8n);
      commits.announced(one, announce([append('a\nb', anEvent())]));
    },
  };
  for (const [title, given] of Object.entries(unknown)) {
    it(`are to be read ${title}`, () => {
      const commits = createCommitAnnouncements();
      given(commits);
      expect(commits.reached(one, 9n)).to.equal(null);
    });
  }

  it('spare a process the read of a commit that no subscription selects', async () => {
    const url = await migratedDatabase();
    const writer = await startPostgresEventLog({ url, pollMs: 600_000 });
    const follower = await startPostgresEventLog({ url, pollMs: 600_000 });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const lastRead = async () => {
      const { rows } = await client.query<{ at: Date }>(
        "select max(query_start) at from pg_stat_activity where application_name = 'tamga event reader' and datname = current_database()",
      );
      return rows[0]?.at.getTime();
    };
    const first = await writer.append('session-first', [anEvent()], 'none');
    const wanted = new Set<string>();
    const seen = collect(follower, {
      after: first.position,
      categories: ['session'],
      wants: (stream) => wanted.has(stream),
    });
    await seen.caughtUp;
    // The first commit notified is read.
    const begun = await writer.append('session-first', [anEvent()], 0n);
    await until(() => (seen.checkpoints.at(-1) ?? 0n) >= begun.position);
    const before = await lastRead();

    let last = begun.position;
    for (let turn = 0; turn < 3; turn += 1) {
      const streams = Array.from({ length: 4 }, (_, index) => `session-${turn}-${index}`);
      const appended = await Promise.all(
        streams.map((stream) => writer.append(stream, [anEvent(), anEvent()], 'none')),
      );
      last = appended.reduce((most, { position }) => (position > most ? position : most), last);
    }
    await until(() => (seen.checkpoints.at(-1) ?? 0n) >= last);
    expect(await lastRead()).to.equal(before);
    expect(seen.events).to.deep.equal([]);

    wanted.add('session-0-0');
    await writer.append('session-0-0', [anEvent({ n: 1 })], 1n);
    await until(() => seen.events.length === 1);
    expect(await lastRead()).not.to.equal(before);
    await seen.stop();
    await Promise.all([writer.stop(), follower.stop(), client.end()]);
  });
});
