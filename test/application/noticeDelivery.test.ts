import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import type { DeviceData } from '../../application/ports/referenceData.ts';
import { createNoticePushHandler, noticePushJob } from '../../application/reactors/giveNotices.ts';
import type { PushMessage } from '../../application/reactors/ports/push.ts';
import type { AccessEvent } from '../../domain/access/events.ts';
import { memoryDeliveries } from '../support/doubles/memoryDeliveries.ts';

const DAY = 86_400_000;
const payload = { noticeId: 'notice-1', documentNumber: 'd1' };

describe('F6: pushes of notices', () => {
  function open() {
    const { jobs, undelivered, clock, queued, shown, run } = memoryDeliveries();
    const sent: PushMessage[] = [];
    const events: AccessEvent[] = [];
    const failures: unknown[] = [];
    const phone = { civilId: '1', documentNumber: 'd1', platform: 'FCM', pushToken: 'token' };
    const world = { device: { ...phone, active: true }, isUp: false };
    const handler = createNoticePushHandler({
      jobs,
      undelivered,
      clock,
      devices: { device: () => Promise.resolve(world.device as unknown as DeviceData) },
      push: {
        notify: (message) => {
          sent.push(message);
          const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
          return world.isUp ? Promise.resolve() : Promise.reject(new Unavailable('push', cause));
        },
      },
      accessLog: (event) => {
        events.push(event);
        return Promise.resolve();
      },
      onFailed: (cause) => failures.push(cause),
    });
    jobs.handle(noticePushJob, handler);
    void jobs.enqueue({ name: noticePushJob, id: 'push:notice-1:d1', payload });
    return { world, clock, queued, shown, run, sent, events, failures };
  }

  it('are sent again with growing delays, shown to operators until the gateway takes them', async () => {
    const { world, clock, queued, shown, run, sent, events, failures } = open();
    const since = clock.now();
    await run();
    expect([await run(), await run()]).to.deep.equal([5_000, 10_000]);
    expect([...shown.values()]).to.deep.equal([
      {
        id: 'notice-1/d1',
        kind: 'NOTICE',
        clientId: null,
        since,
        attempts: 3,
        reason: 'connect ECONNREFUSED',
        triedAt: clock.now(),
        isGivenUp: false,
      },
    ]);
    world.isUp = true;
    await run();
    expect(shown.size).to.equal(0);
    expect(queued).to.deep.equal([]);
    expect([sent.length, failures.length, events.length]).to.deep.equal([4, 3, 0]);
  });

  it('are given up after a day, with an event that names notice, phone and citizen', async () => {
    const { clock, queued, shown, run, events } = open();
    const since = clock.now();
    while (queued.length > 0) expect(await run()).to.be.at.most(3_600_000);
    expect(clock.now().getTime() - since.getTime()).to.be.within(DAY, DAY + 3_600_000);
    const data = {
      ...payload,
      civilId: '1',
      sentAt: since.toISOString(),
      givenUpAt: clock.now().toISOString(),
    };
    expect(events).to.deep.equal([{ type: 'NoticeUndelivered', data }]);
    expect([...shown.values()].map(({ isGivenUp }) => isGivenUp)).to.deep.equal([true]);
  });

  it('have a day anew after an outage of the platform, in which nothing was sent', async () => {
    const { clock, queued, run, events } = open();
    await run();
    await run();
    clock.advance(DAY);
    await run();
    expect(events).to.deep.equal([]);
    const since = clock.now().getTime();
    while (queued.length > 0) await run();
    expect(clock.now().getTime() - since).to.be.within(DAY, DAY + 3_600_000);
    expect(events.map(({ type }) => type)).to.deep.equal(['NoticeUndelivered']);
  });

  it('to a phone that was deactivated meanwhile are not sent again', async () => {
    const { world, queued, shown, run, sent } = open();
    await run();
    world.device = { ...world.device, active: false };
    await run();
    expect(sent).to.have.length(1);
    expect(queued).to.deep.equal([]);
    expect(shown.size).to.equal(0);
  });
});
