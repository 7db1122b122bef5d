import { expect } from 'chai';
import type { NotedRequests } from '../../application/relyingParty/ports/requestLog.ts';
import { createRequestLog, type EndedRequest } from '../../application/relyingParty/requestLog.ts';
import type { RefusalCode } from '../../domain/shared/refusal.ts';

const accepted: EndedRequest = {
  requestId: 'request-1',
  method: 'POST',
  actor: { kind: 'relyingParty', id: 'party-1' },
  served: { path: '/v3/authentication/notification/etsi/:id' },
  problem: null,
};

function refused(code: RefusalCode, fields: Partial<EndedRequest> = {}): EndedRequest {
  const faults = [{ pointer: '/rpChallenge', detail: 'Is required.', rule: 'required' }];
  return { ...accepted, ...fields, problem: { code, status: 400, faults } };
}

/** A log over a store that keeps what is added, and that can fail. */
function openLog() {
  const added: NotedRequests[] = [];
  const failures: unknown[] = [];
  let failure: Error | null = null;
  const log = createRequestLog({
    store: {
      add: (noted) => {
        if (failure !== null) return Promise.reject(failure);
        added.push(noted);
        return Promise.resolve();
      },
    },
    clock: { now: () => new Date('2026-11-29T23:59:59Z') },
    onFailure: (cause) => failures.push(cause),
    writeEveryMs: 5,
  });
  return { log, added, failures, fail: (cause: Error | null) => void (failure = cause) };
}

describe('Requests of relying parties', () => {
  it('are counted by operation and outcome, and written at once', async () => {
    const { log, added } = openLog();
    for (let index = 0; index < 1000; index += 1) log.ended(accepted);
    log.ended(refused('INVALID_REQUEST'));
    await log.settle();
    expect(added).to.have.length(1);
    const counted = added[0]?.counted.map(({ day, operation, code, requests }) => {
      return { day, operation, code, requests };
    });
    const operation = 'POST /v3/authentication/notification/etsi/:id';
    expect(counted).to.deep.equal([
      { day: '2026-11-29', operation, code: null, requests: 1000 },
      { day: '2026-11-29', operation, code: 'INVALID_REQUEST', requests: 1 },
    ]);
  });

  it('are noted with the problem and the places of faults, without any text', async () => {
    const { log, added } = openLog();
    log.ended(refused('INVALID_REQUEST', { requestId: 'request-2' }));
    await log.settle();
    expect(added[0]?.refused).to.deep.equal([
      {
        relyingPartyId: 'party-1',
        at: new Date('2026-11-29T23:59:59Z'),
        requestId: 'request-2',
        operation: 'POST /v3/authentication/notification/etsi/:id',
        status: 400,
        code: 'INVALID_REQUEST',
        faults: [{ pointer: '/rpChallenge', rule: 'required' }],
      },
    ]);
  });

  it('leave out a pointer that may be what a caller sent', async () => {
    const { log, added } = openLog();
    const faults = [{ pointer: '/properties/Бат Дорж', detail: 'Is unknown.' }];
    log.ended({ ...accepted, problem: { code: 'INVALID_REQUEST', status: 400, faults } });
    await log.settle();
    expect(added[0]?.refused[0]?.faults).to.deep.equal([]);
  });

  it('of others, and of nobody known, are not noted', async () => {
    const { log, added } = openLog();
    log.ended({ ...accepted, actor: null });
    log.ended({ ...accepted, actor: { kind: 'operator', id: 'o1' } });
    await log.settle();
    expect(added).to.deep.equal([]);
  });

  it('fill a bounded memory: the newest refusals of each relying party', async () => {
    const { log, added } = openLog();
    const other = { kind: 'relyingParty', id: 'party-2' } as const;
    log.ended(refused('NOT_FOUND', { actor: other }));
    for (let index = 0; index < 5000; index += 1) {
      log.ended(refused('RATE_LIMITED', { requestId: `request-${index}` }));
    }
    await log.settle();
    const of = (id: string) => added[0]?.refused.filter((each) => each.relyingPartyId === id) ?? [];
    expect(of('party-1')).to.have.length(100);
    expect(of('party-1').at(-1)?.requestId).to.equal('request-4999');
    expect(of('party-2')).to.have.length(1);
    expect(added[0]?.counted.map(({ requests }) => requests)).to.deep.equal([1, 5000]);
  });

  it('that could not be written are written with the next ones', async () => {
    const { log, added, failures, fail } = openLog();
    fail(new Error('The database is away.'));
    log.ended(refused('INVALID_REQUEST'));
    await log.settle();
    expect(failures).not.to.deep.equal([]);
    fail(null);
    log.ended(refused('INVALID_REQUEST'));
    await log.settle();
    expect(added).to.have.length(1);
    expect(added[0]?.counted.map(({ requests }) => requests)).to.deep.equal([2]);
    expect(added[0]?.refused).to.have.length(2);
  });

  it('are written by time, while others come', async () => {
    const { log, added } = openLog();
    log.ended(accepted);
    while (added.length === 0) await new Promise(setImmediate);
    log.ended(accepted);
    while (added.length === 1) await new Promise(setImmediate);
    expect(added.map(({ counted }) => counted[0]?.requests)).to.deep.equal([1, 1]);
    await log.settle();
  });
});
