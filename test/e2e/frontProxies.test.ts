import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect } from 'chai';
import { checkConfig } from '../../main/cli/checkConfig.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { until } from '../support/assertions/waiting.ts';
import { prepareInstallation } from '../support/installation/installation.ts';
import { createLiveRelyingParty, enrolLivePhone, liveCitizens } from '../../main/drill/callers.ts';
import { startSessionLoad } from '../support/installation/sessionLoad.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import {
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import type { FrontProxy, StartFrontProxy } from '../support/programs/frontProxy.ts';
import { hasHaproxy, startHaproxy } from '../support/programs/haproxy.ts';
import { hasNginx, startNginx } from '../support/programs/nginx.ts';
import { tamgaProgram } from '../support/programs/tamgaProgram.ts';

/** An example that is altered, and what the check says of it. */
type Wrong = readonly [what: string, change: (example: string) => string, says: RegExp];

const wrongNginx: readonly Wrong[] = [
  [
    'sets the client certificate in a location, which drops all other headers',
    (example: string) =>
      example.replace(
        '  location / {\n    proxy_pass http://tamga;',
        '  location / {\n    proxy_set_header X-Client-Cert $tamga_client_certificate;\n    proxy_pass http://tamga;',
      ),
    /forged X-Forwarded-For was trusted/,
  ],
  [
    'sets no client certificate',
    (example: string) => example.replace(/^proxy_set_header X-Client-Cert .*$/m, ''),
    /forged x-client-cert was trusted/,
  ],
  [
    'empties X-Forwarded-For',
    (example: string) =>
      example.replace(
        /^proxy_set_header X-Forwarded-For .*$/m,
        'proxy_set_header X-Forwarded-For "";',
      ),
    /No X-Forwarded-For arrived/,
  ],
];

const wrongHaproxy: readonly Wrong[] = [
  [
    'leaves X-Forwarded-For to callers',
    (example) => example.replace(/^ *http-request set-header X-Forwarded-For .*$/m, ''),
    /forged X-Forwarded-For was trusted/,
  ],
  [
    'leaves the client certificate to callers',
    (example) => example.replace(/^ *http-request del-header X-Client-Cert$/m, ''),
    /forged x-client-cert was trusted/,
  ],
  [
    'empties X-Forwarded-For',
    (example) => example.replace(/set-header X-Forwarded-For .*$/m, 'del-header X-Forwarded-For'),
    /No X-Forwarded-For arrived/,
  ],
];

/** Proxies of docker/. */
interface Example {
  readonly name: string;
  readonly file: string;
  has(): boolean;
  readonly start: StartFrontProxy;
  readonly wrong: readonly Wrong[];
  /** Seconds until the proxy gives up a request. */
  readonly waits: RegExp;
}

const examples: readonly Example[] = [
  {
    name: 'nginx',
    file: 'docker/nginx/tamga.conf',
    has: hasNginx,
    start: startNginx,
    wrong: wrongNginx,
    waits: /proxy_read_timeout (\d+)s/,
  },
  {
    name: 'HAProxy',
    file: 'docker/haproxy/haproxy.cfg',
    has: hasHaproxy,
    start: startHaproxy,
    wrong: wrongHaproxy,
    waits: /timeout server (\d+)s/,
  },
];

interface Checked {
  readonly line: string;
  readonly code: number;
}

const aboutProxy = (lines: readonly string[]) =>
  lines.find((each) => each.includes('through ')) ?? lines.join('\n');

const trusted = getCACertificates('default');

for (const { name, file, has, start, wrong, waits } of examples) {
  describe(`N20: ${name} before the service`, function () {
    this.timeout(120_000);
    let service: ServiceProcess;
    let settings: Record<string, string>;
    let proxies: FrontProxy[] = [];

    before(async function () {
      if (!has()) {
        process.stdout.write(`${name} is missing: its example is not tried.\n`);
        this.skip();
      }
      settings = {
        SVC_DATABASE_URL: await migratedDatabase(),
        SVC_TRUSTED_PROXIES: '127.0.0.1',
        SVC_CLIENT_CERTIFICATE_HEADER: 'x-client-cert',
      };
      service = await createServiceProcess(settings);
      await service.start();
    });

    afterEach(async () => {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      proxies = [];
    });

    after(async () => {
      await service.kill();
    });

    async function proxied(change?: (example: string) => string): Promise<FrontProxy> {
      const proxy = await start([service.origin], change);
      proxies.push(proxy);
      return proxy;
    }

    const environment = () => ({
      SVC_PROFILE: 'development',
      SVC_SW_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      ...settings,
    });

    /** Line of check-config about the proxy, and its exit code, as a process of its own. */
    function checkedApart({ origin, certificate }: FrontProxy): Promise<Checked> {
      const { PATH } = process.env;
      const env = { PATH, NODE_EXTRA_CA_CERTS: certificate, ...environment() };
      return new Promise((resolve) => {
        execFile(
          process.execPath,
          [tamgaProgram(), 'check-config', '--proxy', origin],
          { env },
          (error, said) => {
            resolve({ line: aboutProxy(said.split('\n')), code: Number(error?.code ?? 0) });
          },
        );
      });
    }

    /** Line of check-config about the proxy, and its exit code. */
    async function checked({ origin, certificate }: FrontProxy): Promise<Checked> {
      setDefaultCACertificates([...trusted, await readFile(certificate, 'utf8')]);
      const lines: string[] = [];
      const code = await checkConfig(environment(), (line) => lines.push(line), origin);
      setDefaultCACertificates(trusted);
      return { line: aboutProxy(lines), code };
    }

    it('is believed only what it says itself, with the example', async () => {
      const proxy = await proxied();
      const sound = { line: `ok    SVC_TRUSTED_PROXIES, through ${proxy.origin}`, code: 0 };
      expect(await checkedApart(proxy)).to.deep.equal(sound);
      expect(await checked(proxy)).to.deep.equal(sound);
    });

    for (const [what, change, says] of wrong) {
      it(`fails the check where it ${what}`, async () => {
        const { line, code } = await checked(await proxied(change));
        expect(code).to.equal(1);
        expect(line)
          .to.match(/^fails SVC_TRUSTED_PROXIES/)
          .and.to.match(says);
      });
    }

    it('passes no foreign host on, PKI over plain http, and logs no civil id', async () => {
      const { origin, plainOrigin, accessLog } = await proxied();
      const asked = (path: string, host?: string) =>
        new Promise<number>((resolve, reject) => {
          const headers = host === undefined ? {} : { host };
          const asking = request(new URL(path, origin), {
            headers,
            servername: 'localhost',
            rejectUnauthorized: false,
          });
          asking.on('response', (response) => resolve(response.resume().statusCode ?? 0));
          asking.on('error', reject);
          asking.end();
        });
      expect(await asked('/livez')).to.equal(200);
      expect(await asked('/livez', 'forged.invalid')).to.equal(421);
      const plain = (path: string) =>
        fetch(plainOrigin + path, { redirect: 'manual' }).then(({ status }) => status);
      // The first list is made after the start.
      await eventually(async () => expect(await plain('/crl')).to.equal(200));
      expect(await plain('/ca/root.cer')).to.equal(200);
      expect(await plain('/v3/proxy-check')).to.equal(308);
      await asked('/v3/authentication/etsi/PNOMN-110000000001/of/110000000002?person=110000000003');
      const log = await eventually(async () => {
        const said = await accessLog();
        expect(said).to.include('/v3/authentication/');
        return said;
      });
      expect(log).to.match(/GET \/v3\/authentication\/etsi\/-\/of\/-" \d{3}/);
      expect(log).not.to.contain('1100000000');
    });

    it('F19: lets a poll wait', async () => {
      const example = await readFile(file, 'utf8');
      expect(Number(waits.exec(example)?.[1])).to.be.greaterThan(120);
    });

    it('tells nobody without a ticket of the installation', async () => {
      for (const ticket of ['', '1.2', `${Date.now()}.${'0'.repeat(64)}`]) {
        const { status } = await fetch(`${service.origin}/v3/proxy-check`, {
          headers: { 'x-proxy-check': ticket },
        });
        expect(status).to.equal(401);
      }
    });
  });

  describe(`A rolling restart of two processes behind ${name}`, function () {
    this.timeout(300_000);
    let services: readonly ServiceProcess[] = [];
    let proxy: FrontProxy | undefined;

    before(function () {
      if (!has()) this.skip();
    });
    after(async () => {
      setDefaultCACertificates(trusted);
      await proxy?.stop();
      await Promise.all(services.map((each) => each.stop()));
    });

    it('fails no request, and no poll that waits meanwhile', async () => {
      const settings = {
        SVC_DATABASE_URL: await freshDatabase(),
        SVC_TRUSTED_PROXIES: '127.0.0.1',
        // Longer than the 2 s for which nginx keeps a connection that is idle.
        SVC_DRAIN_SECONDS: '4',
      };
      const credentials = await prepareInstallation(settings);
      services = await Promise.all([
        createServiceProcess(settings),
        createServiceProcess(settings),
      ]);
      for (const each of services) await each.start();
      const { origin, certificate } = await start(services.map((each) => each.origin)).then(
        (started) => (proxy = started),
      );
      setDefaultCACertificates([...trusted, await readFile(certificate, 'utf8')]);
      const relyingParty = createLiveRelyingParty(origin, credentials);
      const [waiting, ...answering] = liveCitizens.slice(0, 3);
      if (waiting === undefined) throw new Error('Nobody waits.');
      const waiter = await enrolLivePhone(origin, waiting);
      const phones = await Promise.all(answering.map((each) => enrolLivePhone(origin, each)));
      const { created } = await relyingParty.create(waiting.civilId);
      if (created === undefined) throw new Error('No session was made.');
      const load = startSessionLoad(relyingParty, phones, 1);
      const more = async () => {
        const before = load.completed();
        await until(() => load.completed() >= before + 5, 60_000);
      };
      await more();
      for (const each of services) {
        // A poll of each round waits at one of the processes; the one that ends answers it, and it is asked again.
        const polls = [1, 2, 3].map(() => relyingParty.poll(created.sessionId, 5000));
        expect(await each.stop()).to.equal(0);
        await more();
        await each.start();
        await proxy?.untilAllAreUp?.();
        await more();
        for (const { status, body } of await Promise.all(polls)) {
          expect([status, body['state']]).to.deep.equal([200, 'RUNNING']);
        }
      }
      await load.stop();
      expect(await waiter.confirm(created)).to.equal('OK');
      const { body } = await relyingParty.poll(created.sessionId, 5000);
      expect(body['state']).to.equal('COMPLETE');
      expect(load.records.length).to.be.at.least(25);
      expect([...load.interruptions, ...load.surprises]).to.deep.equal([]);
    });
  });
}

describe('nginx before two processes', function () {
  this.timeout(60_000);
  const servers: Server[] = [];
  let proxy: FrontProxy | undefined;

  before(function () {
    if (!hasNginx()) this.skip();
  });
  after(async () => {
    await proxy?.stop();
    for (const server of servers) server.close();
  });

  /** A process that answers everything with one status, and counts what it is asked. */
  async function answering(status: number) {
    const asked = { GET: 0, POST: 0 };
    const server = createServer(({ method }, response) => {
      asked[method as keyof typeof asked] += 1;
      response.writeHead(status).end();
    });
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  it('asks the other one where one answers 503, unless that may do something twice', async () => {
    const refusing = await answering(503);
    const serving = await answering(200);
    proxy = await startNginx([refusing.origin, serving.origin]);
    const origin = proxy.origin;
    const ca = await readFile(proxy.certificate);
    const ask = (method: keyof typeof serving.asked) =>
      new Promise<number>((resolve, reject) => {
        const asking = request(origin, { method, ca }, (response) =>
          resolve(response.resume().statusCode ?? 0),
        );
        asking.on('error', reject).end();
      });
    const times = [1, 2, 3, 4];
    for (const time of times) expect(await ask('GET'), `at ${time}`).to.equal(200);
    for (const time of times) expect(await ask('POST'), `at ${time}`).to.be.oneOf([200, 503]);
    expect(refusing.asked.GET).to.be.at.least(1);
    expect(serving.asked.GET).to.equal(times.length);
    expect(refusing.asked.POST + serving.asked.POST).to.equal(times.length);
  });
});
