import { expect } from 'chai';
import { type Kysely, sql } from 'kysely';
import { migrations } from '../../infrastructure/postgres/migrate.ts';
import {
  certificateIssued,
  certificateRequested,
  deviceEnrolled,
  recordable,
  sessionConfirmed,
  sessionExpired,
  sessionStarted,
} from '../support/events/exampleEvents.ts';
import { openReadSide } from '../support/events/readSide.ts';
import { sampleEvents } from '../support/events/sampleEvents.ts';

describe('An upgrade of a database from before there were counts', () => {
  it('counts the rows there are as the projector counts new ones', async () => {
    const side = await openReadSide();
    try {
      const append = (stream: string, ...events: Parameters<typeof recordable>[0][]) =>
        side.eventStore.append(
          stream,
          events.map((event) => recordable(event)),
          'any',
        );
      const startedAt = '2026-01-02T03:59:59.999Z';
      for (const [index, took] of [0, 10, 11, 14, 20, 40, 80, 1279, 1280, 1281, 90_000].entries()) {
        const completedAt = new Date(Date.parse(startedAt) + took).toISOString();
        await append(
          `session-s${index}`,
          sessionStarted(`s${index}`, { startedAt }),
          sessionConfirmed({ completedAt }),
        );
      }
      await append('session-running', sessionStarted('running'));
      await append('session-expired', sessionStarted('expired'), sessionExpired());
      await append('device-d1', deviceEnrolled('d1'));
      await append('device-d2', deviceEnrolled('d2'));
      await append('device-d2', {
        type: 'DeviceDeactivated',
        data: { documentNumber: 'd2', reason: 1, deactivatedAt: '2026-01-02T00:00:00.000Z' },
      });
      await append('certificate-0a', certificateRequested('0a'), certificateIssued('0a'));
      await append('certificate-0b', certificateRequested('0b'), certificateIssued('0b'));
      await append('certificate-0b', {
        type: 'CertificateRevoked',
        data: { serial: '0b', reason: 1, revokedAt: '2026-01-02T00:00:00.000Z' },
      });
      await append('certificate-0c', certificateRequested('0c'));
      await append('seal-5512345', sampleEvents.DocumentSealed, sampleEvents.SealDenied);
      const projector = side.projector();
      projector.start();
      await projector.untilProjected((await side.eventStore.head()) ?? 0n);
      await projector.stop();
      const { tally } = await side.contents();
      expect(tally).to.have.length.above(10);

      await sql`update tally set count = -1`.execute(side.database);
      await side.database
        .transaction()
        .execute((transaction) =>
          Promise.resolve(
            migrations['022_tallyRows']?.up(transaction as unknown as Kysely<unknown>),
          ),
        );

      expect((await side.contents())['tally']).to.deep.equal(tally);
    } finally {
      await side.close();
    }
  });
});
