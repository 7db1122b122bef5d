import { expect } from 'chai';
import { momentOf } from '../../api/admin/asOf.ts';
import { eventsAsOf, foldAsOf } from '../../application/history/asOf.ts';
import type { CertificateEvent } from '../../domain/certificate/events.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import {
  certificateIssued,
  certificateRequested,
  recordable,
} from '../support/events/exampleEvents.ts';
import { createMemoryEventStore } from '../support/doubles/memoryEventStore.ts';

const stream = 'certificate-0a';

/** Requested at 10:00, issued at 10:01, and by a clock that is behind suspended at 10:00:30. */
async function recorded() {
  const eventStore = createMemoryEventStore();
  const append = (event: CertificateEvent, time: string) =>
    eventStore.append(stream, [recordable(event, `2026-01-01T${time}Z`)], 'any');
  await append(certificateRequested('0a'), '10:00:00.000');
  await append(certificateIssued('0a', '110000000001'), '10:01:00.000');
  const data = { serial: '0a', suspendedAt: '2026-01-01T10:00:30.000Z' };
  await append({ type: 'CertificateSuspended', data }, '10:00:30.000');
  return eventStore;
}

describe('a stream as of a moment', () => {
  const cases: readonly (readonly [string, string | null, readonly string[]])[] = [
    ['is empty before its first event', '09:59:59.999', []],
    ['has an event of that very millisecond', '10:00:00.000', ['CertificateRequested']],
    ['ends with the first later event', '10:00:59.999', ['CertificateRequested']],
    [
      'has what an earlier clock wrote behind it',
      '10:01:00.000',
      ['CertificateRequested', 'CertificateIssued', 'CertificateSuspended'],
    ],
    [
      'is whole without a moment',
      null,
      ['CertificateRequested', 'CertificateIssued', 'CertificateSuspended'],
    ],
  ];
  for (const [sentence, at, types] of cases) {
    it(sentence, async () => {
      const moment = at === null ? null : new Date(`2026-01-01T${at}Z`);
      const events = await eventsAsOf(await recorded(), stream, moment);
      expect(events.map(({ event }) => event.type)).to.deep.equal(types);
    });
  }

  it('is folded as read models fold it, by the id in its name', async () => {
    const events = await eventsAsOf(await recorded(), stream, null);
    const evolve = (view: readonly string[] | undefined, event: CertificateEvent, id: string) => [
      ...(view ?? []),
      `${id} ${event.type}`,
    ];
    expect(foldAsOf(events, evolve)?.at(-1)).to.equal('0a CertificateSuspended');
    expect(foldAsOf([], evolve)).to.equal(undefined);
  });
});

describe('the moment a view is asked for', () => {
  const clock = { now: () => new Date('2026-01-01T10:00:00.000Z') };

  it('is now when none is named', () => {
    expect(momentOf({}, clock)).to.equal(null);
  });

  it('may lie in the past, in any offset, and may be this instant', () => {
    const named = { asOf: '2026-01-01T18:00:00+08:00' };
    expect(momentOf(named, clock)?.toISOString()).to.equal('2026-01-01T10:00:00.000Z');
  });

  it('may not lie in the future', () => {
    try {
      momentOf({ asOf: '2026-01-01T10:00:00.001Z' }, clock);
    } catch (error) {
      expect(isRefusal(error, 'INVALID_REQUEST')).to.equal(true);
      expect(error).to.have.nested.property('errors[0].pointer', '#/query/asOf');
      return;
    }
    expect.fail('It was not refused.');
  });
});
