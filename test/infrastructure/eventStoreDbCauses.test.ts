import { expect } from 'chai';
import { startPatiently } from '../../main/composition/patientStart.ts';
import { commandPatience } from '../../main/cli/waiting.ts';
import { formatError } from '../../main/cli/formatError.ts';
import { createEventStoreDbEventLog } from '../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { prepareServer } from '../../infrastructure/eventstore/eventStoreDb/prepareServer.ts';
import { scavengeNodes } from '../../infrastructure/eventstore/eventStoreDb/scavenge.ts';
import { openStreamDeletion } from '../../infrastructure/eventstore/eventStoreDb/streamDeletion.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { startTlsFront, type TlsFront } from '../support/eventStoreDb/tlsFront.ts';
import { skipWithoutOpenssl } from '../support/programs/openssl.ts';
import { freePort } from '../../main/drill/freePort.ts';

describe('Connecting to EventStoreDB over TLS', function () {
  this.timeout(60_000);
  let double: EventStoreDbDouble;
  let front: TlsFront;
  let elsewhere: TlsFront;
  let tlsPort: (at: TlsFront) => string;

  before(async function () {
    await skipWithoutOpenssl(this);
    double = await startEventStoreDbDouble({ users: { tamga: 'right', admin: 'right' } });
    double.deny(() => false);
    const port = double.nodes[0]?.port ?? 0;
    front = await startTlsFront(port);
    elsewhere = await startTlsFront(port, 'DNS:other.example.mn');
    tlsPort = (at) => `127.0.0.1:${at.port}?tlsCAFile=${at.certificatePath}`;
  });

  after(async () => {
    for (const one of [front, elsewhere]) await one.stop();
    await double.stop();
  });

  async function starting(url: string): Promise<void> {
    const log = createEventStoreDbEventLog({ url, timeoutMs: 300 });
    try {
      await log.start();
    } finally {
      await log.stop();
    }
  }

  const credentials = { username: 'tamga', password: 'right' };
  const doors: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
    'the log': starting,
    'the archive': openStreamDeletion,
    scavenging: (url) => scavengeNodes(url),
    preparing: (url) => prepareServer({ adminUrl: url, service: credentials, archive: null }),
  };
  for (const [door, open] of Object.entries(doors)) {
    for (const user of ['tamga:wrong', 'nobody:right']) {
      it(`E: says that user or password is not accepted (${door}, ${user})`, async () => {
        const failed = await rejection(open(`esdb://${user}@${tlsPort(front)}`));
        expect(formatError(failed)).to.include('does not accept the user or the password');
        expect(formatError(failed)).not.to.match(/denies the|only administrators/u);
      });
    }
  }

  const causes: Readonly<Record<string, readonly [() => Promise<string> | string, RegExp]>> = {
    'the authority is not trusted': [
      () => `esdb://127.0.0.1:${front.port}`,
      /authority that is not trusted: name the authority in tlsCaFile/u,
    ],
    'the certificate names other hosts': [
      () => `esdb://${tlsPort(elsewhere)}`,
      /its certificate names other hosts/u,
    ],
    'the node does not speak TLS': [
      () => `esdb://127.0.0.1:${double.nodes[0]?.port}`,
      /does not use TLS: set tls=false/u,
    ],
    'the node speaks TLS alone': [
      () => `esdb://127.0.0.1:${front.port}?tls=false`,
      /accepts only TLS: set tls=true/u,
    ],
    'nothing listens': [
      async () => `esdb://127.0.0.1:${await freePort()}?tls=false`,
      /nothing listens there/u,
    ],
    'the name is not known': [
      () => 'esdb://log.invalid:2113?tls=false',
      /its name (?:does not exist|cannot be resolved)/u,
    ],
  };
  for (const [what, [url, says]] of Object.entries(causes)) {
    it(`E: names the cause when ${what}`, async () => {
      const failed = formatError(await rejection(starting(await url())));
      expect(failed, failed).to.match(says);
    });
  }

  it('H: sends no address as the name of a server, over any of its connections', async () => {
    const warnings: string[] = [];
    const warned = ({ message }: Error) => warnings.push(message);
    process.on('warning', warned);
    for (const open of Object.values(doors)) {
      await open(`esdb://admin:right@${tlsPort(front)}`).catch(() => undefined);
    }
    expect(new Set(front.serverNames)).to.deep.equal(new Set([null]));
    await starting(`esdb://localhost:${front.port}?tlsCAFile=${front.certificatePath}`);
    expect(front.serverNames).to.include('localhost');
    process.off('warning', warned);
    expect(warnings).to.deep.equal([]);
  });

  it('C: preparing a server waits for its leader, and tells', async () => {
    const down = await startEventStoreDbDouble();
    const told: string[] = [];
    await down.goAway();
    const { waitMs, signal } = commandPatience({ SVC_START_WAIT: 30 });
    const preparing = startPatiently(
      () => prepareServer({ adminUrl: down.url, service: credentials, archive: null }),
      {
        waitMs,
        signal,
        onWaiting: (cause) => {
          told.push(cause.message);
          void down.comeBack();
        },
      },
    );
    // The double has no users to create.
    const refused = formatError(await rejection(preparing));
    expect(refused).to.include('does not implement');
    expect(told[0]).to.match(/SVC_EVENTSTORE_URL/u);
    await down.stop();
  });

  it('C: the archive waits for a leader, and deletes the rest at the next one', async () => {
    const cluster = await startEventStoreDbDouble({ nodes: 3 });
    cluster.loseQuorum();
    setTimeout(() => cluster.regainQuorum(), 300);
    const deletion = await openStreamDeletion(cluster.url);
    const log = createEventStoreDbEventLog({ url: cluster.url });
    await log.start();
    const ends = new Map<string, bigint>();
    for (let n = 0; n < 300; n += 1) {
      const event = { id: crypto.randomUUID(), type: 'A', data: '{}', metadata: '{}' };
      const { revision } = await log.append(`session-${n}`, [event], 'none');
      ends.set(`session-${n}`, revision);
    }
    let deleted = 0;
    cluster.deny(({ operation }) => {
      if (operation === 'delete' && (deleted += 1) === 100) cluster.kill(cluster.leader ?? 0);
      return false;
    });
    await deletion.remove(ends);
    deletion.close();
    for (const stream of ends.keys()) {
      for await (const event of log.read(stream)) expect.fail(`${stream} still has ${event.type}`);
    }
    await log.stop();
    await cluster.stop();
  });
});
