import { existsSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { demoCitizens } from '../../main/cli/demo.ts';
import { call } from '../../main/drill/callers.ts';
import {
  type DemoInstallation,
  newChallenge,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { callerAt, documentSettings } from '../support/worlds/documentWorld.ts';
import { openOperatorWorld, type SignedInOperator } from '../support/worlds/operatorWorld.ts';

const HERE = 'test/long/resources.test.ts';

/** Rows of the table: resource, who spends it, bound, who feels it, test. */
const rows = readFileSync('docs/resources.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Resource') && !/^\| -/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, resource = '', , bound = '', , test = '']) => ({
    resource,
    bound,
    test: test.replaceAll('`', ''),
  }));

describe('N13, N5, N14: Each resource of docs/resources.md', function () {
  this.timeout(240_000);
  let demo: DemoInstallation;
  let auditor: SignedInOperator;
  let quietMs: number;
  const sockets: Socket[] = [];
  const unread: Response[] = [];
  const ends = new AbortController();

  before(async () => {
    demo = await startDemoInstallation({
      ...documentSettings,
      SVC_DOCUMENTS_PER_DAY: '5',
      SVC_DOCUMENT_MEGABYTES_PER_DAY: '1',
      SVC_RP_REQUESTS_PER_MINUTE: '1000000',
      SVC_PUSHES_PER_MINUTE: '1000000',
      SVC_PUSHES_PER_RELYING_PARTY: '1000000',
      SVC_PUSHES_RUNNING: '0',
    });
    await demo.enrol(demoCitizens[0]?.civilId ?? '');
    auditor = await openOperatorWorld(demo.service.origin).signedIn('AUDITOR');
    await login();
    const times = [await login(), await login(), await login()];
    quietMs = Math.max(...times);
  });

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    unread.length = 0;
  });

  after(async () => {
    ends.abort();
    await demo.stop();
  });

  /** A login by push is answered. @returns how long that took, ms */
  async function login(): Promise<number> {
    const begun = performance.now();
    const { status, body } = await demo.create(
      `/authentication/notification/etsi/PNOMN-${demoCitizens[0]?.civilId ?? ''}`,
      newChallenge(),
    );
    expect(status, JSON.stringify(body)).to.equal(200);
    return performance.now() - begun;
  }

  const port = () => Number(new URL(demo.service.origin).port);

  /** Sends text from an address of this machine, and reads nothing of the answer. */
  async function send(text: string, from: string): Promise<Socket> {
    const socket = connect({ port: port(), host: '127.0.0.1', localAddress: from });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.pause();
    socket.write(text);
    return socket;
  }

  async function many(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
    for (let from = 0; from < count; from += 100) {
      const some = Array.from({ length: Math.min(100, count - from) }, (_, each) => from + each);
      await Promise.all(some.map(act));
    }
  }

  const half =
    'POST /v3/device/enrolments HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';
  const whole = (body: string) =>
    `POST /v3/device/enrolments HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

  /** Attack on each resource; resolves while it is spent. */
  const attacks: Readonly<Record<string, () => Promise<void>>> = {
    connections: () => many(600, () => send('GET / HTTP/1.1\r\nHo', '127.0.4.1')),
    'unfinished bodies': async () => {
      await many(2500, () => send(half, '127.0.4.1'));
      await many(1000, (index) => send(half, `127.0.5.${1 + (index % 50)}`));
    },
    'unread answers': () =>
      many(100, (index) => send(get('/openapi.json').repeat(20), `127.0.6.${1 + (index % 10)}`)),
    work: () => many(1000, (index) => send(whole('{}'), `127.0.7.${1 + (index % 50)}`)),
    'event loop': () =>
      many(100, (index) =>
        send(whole(`{"a":"${'x'.repeat(60_000)}"}`), `127.0.8.${1 + (index % 50)}`),
      ),
    'database connections': () =>
      many(200, (index) =>
        send(get(`/verify/6f9619ff-8b86-4d01-b42d-00cf4fc9${1000 + index}`), '127.0.9.1'),
      ),
    exports: async () => {
      const headers = { authorization: `Bearer ${auditor.token}` };
      const statuses: number[] = [];
      await many(12, async () => {
        const response = await fetch(`${demo.service.origin}/v3/admin/audit/events`, {
          headers,
          signal: ends.signal,
        });
        if (response.status === 200) unread.push(response);
        else await response.text();
        statuses.push(response.status);
      });
      expect(statuses).to.include(503);
    },
    documents: async () => {
      const citizen = await callerAt(demo.service.origin);
      const wish = { title: 'Гэрээ', doc_type: 'CONTRACT' };
      let last = await citizen.call('POST', '', wish);
      for (let each = 0; each < 5; each += 1) last = await citizen.call('POST', '', wish);
      expect([last.status, last.body['code']]).to.deep.equal([429, 'QUOTA_EXCEEDED']);
      expect(last.body['detail']).to.match(/At most 5 documents .* SVC_DOCUMENTS_PER_DAY until /);
      expect(Number(last.headers.get('retry-after'))).to.be.above(0);
    },
    bytes: async () => {
      const citizen = await callerAt(demo.service.origin);
      const id = await citizen.create();
      const file = Buffer.alloc(600_000, 'a');
      expect((await citizen.upload(id, file, { name: 'a.txt' })).status).to.equal(200);
      const refused = await citizen.upload(id, file, { name: 'a.txt' });
      expect([refused.status, refused.body['code']]).to.deep.equal([429, 'QUOTA_EXCEEDED']);
      expect(refused.body['detail']).to.contain('SVC_DOCUMENT_MEGABYTES_PER_DAY');
    },
  };

  for (const { resource, test } of rows.filter((row) => row.test === HERE)) {
    it(`leaves a relying party its logins: ${resource} (${test})`, async () => {
      const attack = attacks[resource];
      if (attack === undefined) throw new Error(`Nothing spends ${resource}.`);
      await attack();
      // Loosely a second: this machine may be busy with other things.
      const most = Math.max(1000, 10 * quietMs);
      for (let each = 0; each < 3; each += 1) expect(await login()).to.be.below(most);
      expect((await call(`${demo.service.origin}/readyz`)).status).to.equal(200);
    });
  }

  it('has a bound, and a test that is there', () => {
    expect(rows.map(({ resource }) => resource)).to.include.members(Object.keys(attacks));
    expect(rows.length).to.be.above(10);
    for (const { resource, bound, test } of rows) {
      expect(bound, resource).to.not.equal('');
      expect(existsSync(test), `${resource}: ${test}`).to.equal(true);
    }
  });
});
