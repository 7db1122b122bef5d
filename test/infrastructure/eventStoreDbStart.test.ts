import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import {
  createEventStoreDbEventLog,
  type EventStoreDbEventLog,
} from '../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { createPatientLog } from '../support/eventStoreDb/patientLog.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/eventStoreDb/eventStoreDbDouble.ts';

describe('G: A log on EventStoreDB that starts', function () {
  this.timeout(30_000);
  let double: EventStoreDbDouble;
  let log: EventStoreDbEventLog;

  beforeEach(async () => {
    double = await startEventStoreDbDouble({ nodes: 3 });
    log = createEventStoreDbEventLog({ url: double.url });
  });

  afterEach(async () => {
    await log.stop();
    await double.stop();
  });

  const asked = () => double.nodes.reduce((sum, { calls }) => sum + calls.gossip, 0);

  it('G: while the nodes elect waits for their leader', async () => {
    double.loseQuorum();
    const starting = log.start();
    await until(() => asked() > 2 * double.nodes.length);
    double.regainQuorum();
    await starting;
    await log.check();
  });

  it('G: while gossip still names a leader that was killed waits for the next one', async () => {
    const members = double.members();
    double.kill(0);
    for (const node of [1, 2]) double.answerGossip(node, () => members);
    const starting = log.start();
    await until(() => asked() > 2);
    for (const node of [1, 2]) double.answerGossip(node, (now) => now);
    await starting;
    await log.check();
  });

  it('G: while no node answers within a second gives them more time', async () => {
    const slow = await startSlowProxy(double.nodes[0]?.port ?? 0, 1100);
    const patient = createPatientLog(`esdb://127.0.0.1:${slow.port}?tls=false`);
    try {
      await patient.start();
    } finally {
      await patient.stop();
      slow.stop();
    }
  });

  it('G: gives up in the end, and at once when it is stopped', async () => {
    await double.goAway();
    const brief = createEventStoreDbEventLog({ url: double.url, timeoutMs: 500 });
    expect(await rejection(brief.start())).to.be.instanceOf(Unavailable);
    const refused = rejection(log.start());
    await log.stop();
    expect(await refused).to.be.instanceOf(Unavailable);
  });
});

/** Passes connections on; what comes back comes late. */
async function startSlowProxy(port: number, milliseconds: number) {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const node = createConnection(port, '127.0.0.1');
    for (const socket of [client, node]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => open.delete(socket));
    }
    client.pipe(node);
    node.on('data', (chunk) => setTimeout(() => client.write(chunk), milliseconds));
    client.on('close', () => node.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
