import { expect } from 'chai';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import { createSessionList, type SessionFilter } from '../../projections/sessionList.ts';
import {
  recordable,
  sessionConfirmed,
  sessionExpired,
  sessionStarted,
} from '../support/events/exampleEvents.ts';
import { openReadSide, type ReadSide } from '../support/events/readSide.ts';

const everything: SessionFilter = {
  sessionId: null,
  of: null,
  relyingParty: null,
  kind: null,
  flow: null,
  outcome: null,
  minSeconds: null,
  from: null,
  to: null,
};

const bank = 'b0000000-0000-4000-8000-000000000001';
const shop = 'b0000000-0000-4000-8000-000000000002';

/** Id of a session that began on a day of March 2026 (RFC 9562, version 7). */
function idOn(day: number): string {
  const hex = startOf(day).getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000001`;
}

function startOf(day: number): Date {
  return new Date(Date.UTC(2026, 2, day, 8));
}

describe('The list of sessions', function () {
  this.timeout(60_000);
  let side: ReadSide;

  const ended: Readonly<Record<number, DomainEvent>> = {
    1: sessionConfirmed({ civilId: '100000000001' }),
    2: sessionExpired(),
    3: {
      type: 'SessionFailed',
      data: { documentNumber: null, endResult: 'WRONG_VC', completedAt: startOf(3).toISOString() },
    },
    4: {
      type: 'SessionRefused',
      data: {
        documentNumber: 'd',
        endResult: 'USER_REFUSED',
        interaction: null,
        completedAt: new Date(startOf(4).getTime() + 40_000).toISOString(),
      },
    },
  };

  before(async () => {
    side = await openReadSide();
    for (const day of [1, 2, 3, 4, 5]) {
      const started = sessionStarted(idOn(day), {
        startedAt: startOf(day).toISOString(),
        relyingPartyId: day % 2 === 0 ? shop : bank,
        civilId: day === 3 ? '100000000003' : '100000000001',
        kind: day === 2 ? 'AUTHENTICATION' : 'SIGNATURE',
        flow: day === 4 ? 'DEVICE_LINK' : 'NOTIFICATION',
      });
      const events = [started, ended[day]].filter((event) => event !== undefined);
      await side.eventStore.append(
        `session-${idOn(day)}`,
        events.map((event) => recordable(event)),
        'any',
      );
    }
    const projector = side.projector();
    projector.start();
    await projector.untilProjected((await side.eventStore.head()) ?? 0n);
  });

  after(() => side.close());

  async function days(
    filter: Partial<SessionFilter>,
    page: { offset?: number; limit?: number; upTo?: string; isAscending?: boolean } = {},
  ) {
    const { limit = 50, offset = 0, upTo = null, isAscending = false } = page;
    const { items } = await createSessionList(side.database).sessions(
      { ...everything, ...filter },
      { limit, offset, upTo, isAscending },
    );
    return items.map(({ startedAt }) => new Date(startedAt).getUTCDate());
  }

  it('is sorted by the earliest, too, by pages', async () => {
    const first = await days({}, { isAscending: true, limit: 2 });
    const second = await days({}, { isAscending: true, limit: 2, offset: 2 });
    expect([...first, ...second]).to.deep.equal([1, 2, 3, 4]);
    expect(await days({ relyingParty: shop }, { isAscending: true })).to.deep.equal([2, 4]);
  });

  const filters: readonly (readonly [string, Partial<SessionFilter>, readonly number[]])[] = [
    ['everything, the latest first', {}, [5, 4, 3, 2, 1]],
    ['one session', { sessionId: idOn(2) }, [2]],
    ['a citizen', { of: { civilIds: ['100000000003'], relyingParties: [] } }, [3]],
    [
      'a citizen or a relying party',
      { of: { civilIds: ['100000000003'], relyingParties: [shop] } },
      [4, 3, 2],
    ],
    ['nobody who was found', { of: { civilIds: [], relyingParties: [] } }, []],
    ['a relying party', { relyingParty: shop }, [4, 2]],
    ['a kind', { kind: 'AUTHENTICATION' }, [2]],
    ['a flow', { flow: 'DEVICE_LINK' }, [4]],
    ['those confirmed', { outcome: 'OK' }, [1]],
    ['those not answered', { outcome: 'TIMEOUT' }, [2]],
    ['those failed', { outcome: 'FAILED' }, [3]],
    ['those refused', { outcome: 'REFUSED' }, [4]],
    ['those that ended without success', { outcome: 'UNSUCCESSFUL' }, [4, 3, 2]],
    ['those running', { outcome: 'RUNNING' }, [5]],
    ['those that took long', { minSeconds: 40, from: startOf(3) }, [4]],
    ['those that took longer', { minSeconds: 41, from: startOf(3) }, []],
    ['days', { from: startOf(2), to: startOf(4) }, [3, 2]],
  ];

  for (const [what, filter, expected] of filters) {
    it(`shows ${what}`, async () => {
      expect(await days(filter)).to.deep.equal(expected);
    });
  }

  it('shows sessions of a citizen or a relying party once, and their pages in order', async () => {
    const of = { civilIds: ['100000000001'], relyingParties: [shop] };
    expect(await days({ of })).to.deep.equal([5, 4, 2, 1]);
    expect(await days({ of }, { limit: 2, offset: 1 })).to.deep.equal([4, 2]);
    const { total } = await createSessionList(side.database).sessions(
      { ...everything, of },
      { limit: 1, offset: 0, upTo: null },
    );
    expect(total).to.equal(4);
  });

  it('goes on behind the first page, without what began since', async () => {
    const list = createSessionList(side.database);
    const first = await list.sessions(
      { ...everything, to: startOf(5) },
      { limit: 2, offset: 0, upTo: null },
    );
    expect([first.total, first.isTotalExact, first.newest]).to.deep.equal([4, true, idOn(4)]);
    expect(await days({}, { limit: 2, offset: 2, upTo: idOn(4) })).to.deep.equal([2, 1]);
  });
});
