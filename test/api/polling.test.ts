import { expect } from 'chai';
import fc from 'fast-check';
import { createPollSession } from '../../application/session/sessions.ts';
import type { NotificationListener } from '../../application/ports/notifications.ts';
import { relyingPartyWorld } from '../support/worlds/relyingPartyWorld.ts';
import { until } from '../support/http/http.ts';
import { createNotificationHub } from '../../infrastructure/postgres/notifications.ts';

const never = () => () => undefined;

describe('A poll', () => {
  /** A running session and a poll over it whose steps can be delayed. */
  async function running(soleProcess: boolean) {
    const world = relyingPartyWorld();
    const { sessions, owner, clock, referenceData, context } = world;
    const sessionId = crypto.randomUUID();
    await sessions.handleNew(
      sessionId,
      {
        type: 'StartSession',
        started: {
          sessionId,
          kind: 'SIGNATURE',
          flow: 'NOTIFICATION',
          generation: 'G1',
          relyingPartyId: 'rp',
          relyingPartyName: 'DEMO',
          registeredName: null,
          subsystem: null,
          civilId: owner.civilId,
          documentNumber: null,
          certificateLevel: 'QUALIFIED',
          interactions: [],
          interactionsAsSent: null,
          rpChallenge: null,
          digest: 'AAAA',
          hashType: 'SHA256',
          vcType: 'alphaNumeric4',
          verificationCode: '0000',
          callbackUrl: null,
          fileName: null,
          onBehalfOf: null,
          deviceLink: null,
          nested: null,
          startedAt: clock.now().toISOString(),
          answerBefore: '2026-06-01T00:02:30.000Z',
          readableUntil: '2026-06-01T00:10:00.000Z',
          openIdLogin: false,
          documents: null,
          documentTexts: null,
          riskSignals: null,
        },
      },
      context,
    );
    return { ...world, sessionId, referenceData, soleProcess };
  }

  it('never misses its notification, however its steps and the completion interleave', async function () {
    this.timeout(60_000);
    const turns = fc.nat(4);
    let waited = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({ beforeLoad: turns, beforeConfirm: turns, beforeListen: turns }),
        fc.boolean(),
        fc.boolean(),
        async ({ beforeLoad, beforeConfirm, beforeListen }, soleProcess, inOtherProcess) => {
          const world = await running(soleProcess);
          const { sessions, elsewhere, notifications, referenceData, clock, sessionId, confirm } =
            world;
          const { expectRepresentation } = world;
          const pollSession = createPollSession({
            expectRepresentation,
            sessions: {
              ...sessions,
              load: async (id, options) => {
                await turn(beforeLoad);
                return sessions.load(id, options);
              },
            },
            notifications,
            referenceData,
            clock,
            soleProcess,
          });
          const started = performance.now();
          const poll = async () => {
            await turn(beforeListen);
            return pollSession({
              sessionId,
              relyingPartyId: 'rp',
              timeoutMs: 20_000,
              onGone: never,
            });
          };
          const complete = async () => {
            await turn(beforeConfirm);
            await confirm(sessionId, inOtherProcess && !soleProcess ? elsewhere : sessions);
          };
          const [result] = await Promise.all([poll(), complete()]);
          expect(result.state).to.equal('COMPLETE');
          waited = Math.max(waited, performance.now() - started);
          expect(notifications.waiting()).to.equal(0);
        },
      ),
      { numRuns: 3_000, endOnFailure: true },
    );
    expect(waited).to.be.lessThan(15_000);
  });

  it('goes on waiting for the rest of its time when it was woken for nothing', async () => {
    const { sessions, referenceData, clock, sessionId, expectRepresentation } = await running(true);
    const notifications = createNotificationHub();
    const pollSession = createPollSession({
      sessions,
      notifications,
      referenceData,
      clock,
      expectRepresentation,
      soleProcess: true,
    });
    const started = performance.now();
    const poll = pollSession({ sessionId, relyingPartyId: 'rp', timeoutMs: 150, onGone: never });
    await until(() => notifications.waiting() > 0);
    notifications.notify([`session:${sessionId}`]);
    expect(await poll).to.deep.equal({ state: 'RUNNING', step: null });
    expect(performance.now() - started).to.be.within(145, 10_000);
  });

  it('stops listening when its caller is gone', async () => {
    const { sessions, referenceData, clock, sessionId, expectRepresentation } = await running(true);
    const cancelled: string[] = [];
    let gone: () => void = () => undefined;
    const listener: NotificationListener = {
      changed: new Promise(() => undefined),
      cancel: () => cancelled.push('cancelled'),
    };
    const pollSession = createPollSession({
      expectRepresentation,
      sessions,
      notifications: { listen: () => listener },
      referenceData,
      clock,
      soleProcess: true,
    });
    let registered = false;
    const poll = pollSession({
      sessionId,
      relyingPartyId: 'rp',
      timeoutMs: 60_000,
      onGone: (callback) => {
        gone = callback;
        registered = true;
        return () => undefined;
      },
    });
    await until(() => registered);
    gone();
    expect(await poll).to.deep.equal({ state: 'RUNNING', step: null });
    expect(cancelled).to.deep.equal(['cancelled']);
  });
});

async function turn(times: number): Promise<void> {
  for (let taken = 0; taken < times; taken += 1) {
    await (taken % 2 === 0 ? Promise.resolve() : new Promise(setImmediate));
  }
}
