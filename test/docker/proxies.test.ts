import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createCallerReader } from '../../api/bounds/caller.ts';
import { run } from '../support/programs/tools.ts';
import type { FrontProxy, StartFrontProxy } from '../support/programs/frontProxy.ts';
import { hasHaproxy, startHaproxy } from '../support/programs/haproxy.ts';
import { hasNginx, startNginx } from '../support/programs/nginx.ts';

const proxies: readonly (readonly [name: string, has: () => boolean, start: StartFrontProxy])[] = [
  ['nginx', hasNginx, startNginx],
  ['HAProxy', hasHaproxy, startHaproxy],
];

for (const [name, has, start] of proxies) {
  describe(`The example for ${name}`, () => {
    let service: Server;
    let proxy: FrontProxy | null = null;
    let presented: Uint8Array | null = null;

    before(async function () {
      if (!has()) {
        process.stdout.write(`${name} is missing: its example is not tried.\n`);
        this.skip();
      }
      const passing = { trustProxy: ['127.0.0.1'], clientCertificateHeader: 'x-client-cert' };
      const caller = createCallerReader(passing, false);
      service = createServer((request, response) => {
        // The proxy asks for itself, too.
        if (request.url === '/presented') presented = caller.wholeCertificate(request);
        response.statusCode = request.url === '/refused' ? 401 : 200;
        // HAProxy takes a process without a body at /readyz for one that is down.
        response.end('{}');
      }).listen(0, '127.0.0.1');
      await once(service, 'listening');
      proxy = await start([`http://127.0.0.1:${(service.address() as AddressInfo).port}`]);
    });

    after(async () => {
      await proxy?.stop();
      if (proxy !== null) service.close();
    });

    /** Values of Strict-Transport-Security in the answer. */
    async function policies(origin: string, path: string) {
      const { code, output } = await run(
        'curl',
        ...['--silent', '--insecure', '--include', '--max-time', '10', origin + path],
      );
      expect(code, output).to.equal(0);
      return [...output.matchAll(/^strict-transport-security: (.*?)\r?$/gim)].map(
        ([, value]) => value,
      );
    }

    it('tells browsers to stay with TLS, once, in whatever it answers over TLS alone', async () => {
      const { origin, plainOrigin } = proxy as FrontProxy;
      for (const path of ['/', '/refused']) {
        expect(await policies(origin, path), path).to.deep.equal(['max-age=31536000']);
      }
      for (const path of ['/ocsp', '/elsewhere']) {
        expect(await policies(plainOrigin, path), path).to.deep.equal([]);
      }
    });

    it("passes a client's whole certificate on, though no authority signed it", async () => {
      const directory = await mkdtemp(join(tmpdir(), 'tamga-client-'));
      const [certificate, key] = [join(directory, 'client.pem'), join(directory, 'client.key')];
      const { origin } = proxy as FrontProxy;
      try {
        await run(
          'openssl',
          ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=client'],
          ...['-keyout', key, '-out', certificate],
        );
        const { raw } = new X509Certificate(await readFile(certificate));
        const { code, output } = await run(
          'curl',
          ...['--silent', '--insecure', '--max-time', '10', '--cert', certificate, '--key', key],
          `${origin}/presented`,
        );
        expect([code, output]).to.deep.equal([0, '{}']);
        expect(Buffer.from(presented ?? []).toString('hex')).to.equal(raw.toString('hex'));
      } finally {
        await rm(directory, { recursive: true });
      }
    });

    it('asks for a client certificate without a list of authorities', async () => {
      const { port } = new URL((proxy as FrontProxy).origin);
      const { output } = await run(
        'sh',
        ...['-c', 'openssl s_client -connect "$1" -servername localhost < /dev/null'],
        ...['sh', `127.0.0.1:${port}`],
      );
      expect(output).to.include('Requested Signature Algorithms');
      expect(output).to.include('No client certificate CA names sent');
    });
  });
}
