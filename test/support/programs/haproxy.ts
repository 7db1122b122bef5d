import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../assertions/waiting.ts';
import { frontPlace, runFrontProxy, type StartFrontProxy } from './frontProxy.ts';
import { run } from './tools.ts';

const PROGRAM = '/usr/sbin/haproxy';

export function hasHaproxy(): boolean {
  return existsSync(PROGRAM);
}

/** Debian's HAProxy with the example of docker/haproxy, once its own check finds nothing to warn of. */
export const startHaproxy: StartFrontProxy = async (upstreams, change = (example) => example) => {
  const place = await frontPlace();
  const { directory, tls, plain, certificate } = place;
  const servers = upstreams.map((origin, at) => `  server api${at + 1} ${new URL(origin).host}`);
  const example = change(await readFile('docker/haproxy/haproxy.cfg', 'utf8'))
    .replace(/^ {2}server api1 127\.0\.0\.1:8080$/m, servers.join('\n'))
    .replaceAll('/etc/haproxy/tls/eid.example.mn.pem', certificate)
    .replaceAll('eid.example.mn', 'localhost')
    .replace('maxconn 50000', 'maxconn 1000')
    .replace('log /dev/log local0', 'log stdout format raw local0')
    .replaceAll(/^ {2}(user|group) haproxy\n/gm, '')
    .replace('/etc/ssl/certs/ca-certificates.crt', certificate)
    .replaceAll(/bind :80\b/g, `bind 127.0.0.1:${plain}`)
    .replaceAll(/bind :443\b/g, `bind 127.0.0.1:${tls}`);
  const path = join(directory, 'haproxy.cfg');
  await writeFile(path, example);
  const { code, output } = await run(PROGRAM, '-c', '-dW', '-f', path);
  if (code !== 0) throw new Error(`haproxy -c: ${output}`);
  const proxy = await runFrontProxy(place, PROGRAM, ['-db', '-f', path], (said) =>
    Promise.resolve(said),
  );
  return {
    ...proxy,
    untilAllAreUp: () =>
      until(async () => {
        const said = await proxy.accessLog();
        return servers.every((_, at) => {
          const states = said.match(new RegExp(`Server api/api${at + 1} is (UP|DOWN)`, 'g')) ?? [];
          return states.at(-1)?.endsWith('DOWN') !== true;
        });
      }),
  };
};
