import { expect } from 'chai';
import { scavengeNodes } from '../../infrastructure/eventstore/eventStoreDb/scavenge.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/eventStoreDb/eventStoreDbDouble.ts';

describe('B: Scavenging the nodes of EventStoreDB', function () {
  this.timeout(60_000);
  let double: EventStoreDbDouble;

  beforeEach(async () => {
    double = await startEventStoreDbDouble({ nodes: 3 });
  });

  afterEach(() => double.stop());

  const quickly = { lookEveryMs: 5, goneAfterMs: 50 };
  const node = (index: number) => `127.0.0.1:${double.nodes[index]?.port}`;
  const given = (index: number) => ({ node: node(index), spaceSaved: 1000, failure: '' });

  it('takes one after the other, and waits until each has told its outcome', async () => {
    const told: string[] = [];
    const outcomes = await scavengeNodes(double.url, {
      ...quickly,
      onStarted: (at) => told.push(`begins ${at}`),
      onEnded: ({ node: at }) => told.push(`ends ${at}`),
    });
    expect(outcomes).to.deep.equal([0, 1, 2].map(given));
    expect(told).to.deep.equal(
      [0, 1, 2].flatMap((index) => [`begins ${node(index)}`, `ends ${node(index)}`]),
    );
  });

  for (const result of ['Errored', 'Stopped', 'Interrupted'] as const) {
    it(`tells which node was not scavenged, and goes on with the next (${result})`, async () => {
      double.endScavenges((index) => (index === 1 ? result : 'Success'));
      const outcomes = await scavengeNodes(double.url, quickly);
      const failed = {
        node: node(1),
        spaceSaved: null,
        failure: `${result} The scavenge: ${result}.`,
      };
      expect(outcomes).to.deep.equal([given(0), failed, given(2)]);
    });
  }

  it('waits for one that is under way, then begins its own', async () => {
    const single = await startEventStoreDbDouble();
    single.endScavenges(() => 'Errored', 300);
    single.startScavenge(0);
    single.endScavenges(() => 'Success', 20);
    const [outcome] = await scavengeNodes(single.url, quickly);
    expect(outcome?.spaceSaved).to.equal(1000);
    await single.stop();
  });

  it('does not wait for ever for a node that is gone, and tells of one that is down', async () => {
    double.kill(2);
    double.endScavenges(() => 'Success', 3_600_000);
    const outcomes = await scavengeNodes(double.url, {
      ...quickly,
      onStarted: (at) => {
        if (at === node(1)) setTimeout(() => double.kill(1), 100);
        if (at === node(0)) double.endScavenges(() => 'Success', 20);
        else double.endScavenges(() => 'Success', 3_600_000);
      },
    });
    expect(outcomes.map(({ failure }) => failure)).to.deep.equal([
      '',
      'the node is gone',
      'the node is down',
    ]);
  });

  it('goes on at the next leader', async () => {
    double.endScavenges(() => 'Success', 200);
    const outcomes = await scavengeNodes(double.url, {
      ...quickly,
      onStarted: () => double.resign(),
    });
    expect(outcomes).to.deep.equal([0, 1, 2].map(given));
  });

  it('says who may', async () => {
    double.deny(({ operation }) => operation === 'scavenge');
    const refused = await rejection(scavengeNodes(double.url, quickly));
    expect(String(refused)).to.include('users in the group $ops to scavenge');
  });
});
