import { expect } from 'chai';
import { createLogoutDelivery } from '../../application/openIdConnect/logoutDelivery.ts';
import type { EndedLogin } from '../../application/openIdConnect/ports/oidcEngine.ts';
import type { OidcAccessEvent } from '../../domain/oidcAccess/events.ts';
import { memoryDeliveries } from '../support/doubles/memoryDeliveries.ts';
import { systemRandomness } from '../../infrastructure/system.ts';

const login: EndedLogin = { clientId: 'portal-1', subject: 'pairwise', sid: 'session' };
const DAY = 86_400_000;

describe('F6: logout tokens', () => {
  function open() {
    const { clock, jobs, undelivered, queued, shown, run } = memoryDeliveries();
    const sent: EndedLogin[] = [];
    const events: OidcAccessEvent[] = [];
    const failures: string[] = [];
    const world = { deliver: (): Promise<void> => Promise.resolve() };
    const tell = createLogoutDelivery({
      jobs,
      deliver: (told) => {
        sent.push(told);
        return world.deliver();
      },
      accessLog: (event) => {
        events.push(event);
        return Promise.resolve();
      },
      undelivered,
      clock,
      randomness: systemRandomness,
      onFailed: (clientId) => failures.push(clientId),
    });
    return { tell, world, queued, sent, events, failures, shown, run, clock };
  }

  it('are queued, not sent, while the citizen waits', async () => {
    const { tell, queued, sent, run } = open();
    await tell(login);
    expect([sent.length, queued.length]).to.deep.equal([0, 1]);
    await run();
    expect(sent[0]).to.include(login);
    expect(queued).to.deep.equal([]);
  });

  it('hold no account in their jobs', async () => {
    const { tell, queued } = open();
    await tell(login);
    expect(Object.keys(queued[0]?.payload ?? {})).to.have.members([
      ...['id', 'clientId', 'subject', 'sid', 'failures', 'waits', 'since'],
    ]);
  });

  it('are sent again with growing delays until the client takes them', async () => {
    const { tell, world, queued, sent, run, failures, events } = open();
    world.deliver = () => Promise.reject(new Error('500'));
    await tell(login);
    await run();
    expect([await run(), await run(), await run()]).to.deep.equal([5_000, 10_000, 20_000]);
    world.deliver = () => Promise.resolve();
    await run();
    expect(queued).to.deep.equal([]);
    expect([sent.length, failures.length, events.length]).to.deep.equal([5, 4, 0]);
  });

  it('that a client did not take are shown to operators until it does', async () => {
    const { tell, world, shown, run, clock } = open();
    world.deliver = () => Promise.reject(new Error('HTTP 500'));
    const since = clock.now();
    await tell(login);
    await run();
    await run();
    const [first, ...others] = shown.values();
    expect(others).to.deep.equal([]);
    const { id, ...rest } = first ?? { id: '' };
    expect(id).not.to.equal('');
    expect(rest).to.deep.equal({
      kind: 'LOGOUT',
      clientId: 'portal-1',
      since,
      attempts: 2,
      reason: 'HTTP 500',
      triedAt: clock.now(),
      isGivenUp: false,
    });
    world.deliver = () => Promise.resolve();
    await run();
    expect(shown.size).to.equal(0);
  });

  it('are given up after a day, with an event', async () => {
    const { tell, world, queued, run, events, shown, clock } = open();
    world.deliver = () => Promise.reject(new Error('hangs'));
    const begun = clock.now().getTime();
    await tell(login);
    while (queued.length > 0) expect(await run()).to.be.at.most(3_600_000);
    expect(clock.now().getTime() - begun).to.be.within(DAY, DAY + 3_600_000);
    expect(events.map(({ type }) => type)).to.deep.equal(['LogoutUndelivered']);
    expect(events[0]?.data).to.include({ clientId: 'portal-1' });
    expect([...shown.values()].map(({ isGivenUp }) => isGivenUp)).to.deep.equal([true]);
  });

  it('that find no place are spread, so that few are moved at once', async () => {
    const { tell, world, queued, run, clock } = open();
    world.deliver = () => new Promise<void>(() => undefined);
    for (let count = 0; count < 4; count += 1) await tell(login);
    void run();
    void run();
    await run();
    await run();
    const waits = queued.map(({ runAt }) => (runAt?.getTime() ?? 0) - clock.now().getTime());
    expect(waits).to.deep.equal([1_000, 1_050]);
  });

  it('of clients that hang take two places at most', async () => {
    const { tell, world, queued, sent, run } = open();
    const pending: (() => void)[] = [];
    world.deliver = () => new Promise<void>((resolve) => pending.push(resolve));
    for (let count = 0; count < 3; count += 1) await tell(login);
    const first = run();
    const second = run();
    expect(await run()).to.be.at.most(0);
    expect(sent).to.have.length(2);
    expect(queued).to.have.length(1);
    for (const end of pending) end();
    await Promise.all([first, second]);
    world.deliver = () => Promise.resolve();
    await run();
    expect(sent).to.have.length(3);
  });
});
