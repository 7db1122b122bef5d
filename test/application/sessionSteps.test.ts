import { expect } from 'chai';
import { createSessionSteps } from '../../application/session/sessionSteps.ts';
import { createNotificationHub } from '../../infrastructure/postgres/notifications.ts';
import { createToldTopics } from '../../infrastructure/postgres/toldTopics.ts';
import { until } from '../support/http/http.ts';

describe('The steps of running sessions', () => {
  it('go forward only', () => {
    const steps = createSessionSteps({ notifications: createNotificationHub() });
    expect(steps.of('s1')).to.equal(null);
    steps.reached('s1', 'DELIVERED');
    expect(steps.of('s1')).to.equal('DELIVERED');
    steps.reached('s1', 'OPENED');
    steps.reached('s1', 'DELIVERED');
    expect(steps.of('s1')).to.equal('OPENED');
    steps.reached('s1', 'PIN_ENTRY');
    steps.reached('s1', 'OPENED');
    expect(steps.of('s1')).to.equal('PIN_ENTRY');
    expect(steps.of('s2')).to.equal(null);
  });

  it('are known in other processes, told once each', () => {
    const [here, there] = [createNotificationHub(), createNotificationHub()];
    const told: string[] = [];
    const tellOthers = (topic: string) => {
      told.push(topic);
      there.notify([topic]);
    };
    const steps = createSessionSteps({ notifications: here, tellOthers });
    const elsewhere = createSessionSteps({ notifications: there });
    steps.reached('s1', 'OPENED');
    steps.reached('s1', 'OPENED');
    expect(elsewhere.of('s1')).to.equal('OPENED');
    expect(told).to.have.length(1);
    there.notify(['session-step:s1:SOMETHING_NEWER', 'session:s1']);
    expect(elsewhere.of('s1')).to.equal('OPENED');
  });

  it('are forgotten, the oldest first, when there are too many', () => {
    const steps = createSessionSteps({ notifications: createNotificationHub() });
    for (let each = 0; each <= 20_000; each += 1) steps.reached(`s${each}`, 'DELIVERED');
    expect(steps.of('s0')).to.equal(null);
    expect(steps.of('s1')).to.equal('DELIVERED');
    expect(steps.of('s20000')).to.equal('DELIVERED');
  });
});

describe('Topics told to other processes', () => {
  it('go together in one notification, in several where they are too long for one', async () => {
    const payloads: string[] = [];
    const query = (_text: string, [, payload = '']: readonly string[] = []) => {
      payloads.push(payload);
      return Promise.reject(new Error('The database is away.'));
    };
    const tell = createToldTopics({ query } as never);
    const topics = Array.from(
      { length: 200 },
      (_, each) => `session-step:${each}:${'x'.repeat(60)}`,
    );
    for (const topic of topics) tell(topic);
    await until(() => payloads.length > 0);
    expect(payloads.flatMap((payload) => payload.split('\n'))).to.deep.equal(topics);
    expect(payloads.length).to.be.within(2, 4);
    for (const payload of payloads) expect(Buffer.byteLength(payload)).to.be.below(8000);
  });
});
