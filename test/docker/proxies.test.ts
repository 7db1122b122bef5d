import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
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

    before(async function () {
      if (!has()) {
        process.stdout.write(`${name} is missing: its example is not tried.\n`);
        this.skip();
      }
      service = createServer((request, response) => {
        response.statusCode = request.url === '/refused' ? 401 : 200;
        response.end();
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
