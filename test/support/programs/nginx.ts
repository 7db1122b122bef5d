import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { frontPlace, runFrontProxy, type StartFrontProxy } from './frontProxy.ts';

const PROGRAM = '/usr/sbin/nginx';

export function hasNginx(): boolean {
  return existsSync(PROGRAM);
}

/** Debian's nginx with the example of docker/nginx. */
export const startNginx: StartFrontProxy = async (upstreams, change = (example) => example) => {
  const place = await frontPlace();
  const { directory, tls, plain, certificate, key } = place;
  const log = join(directory, 'access.log');
  const servers = upstreams.map((origin) => `  server ${new URL(origin).host} max_fails=0;`);
  const example = change(await readFile('docker/nginx/tamga.conf', 'utf8'))
    .replace(/^ {2}server 127\.0\.0\.1:8080 max_fails=0;$/m, servers.join('\n'))
    .replaceAll('/etc/nginx/tls/eid.example.mn.pem', certificate)
    .replaceAll('/etc/nginx/tls/eid.example.mn.key', key)
    .replaceAll('eid.example.mn', 'localhost')
    .replaceAll('/var/log/nginx/tamga.log', log)
    .replaceAll(/listen 80\b/g, `listen 127.0.0.1:${plain}`)
    .replaceAll(/listen 443\b/g, `listen 127.0.0.1:${tls}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(directory, name)};`)
    .join('\n');
  const path = join(directory, 'nginx.conf');
  await writeFile(
    path,
    `worker_processes 1;\npid ${join(directory, 'pid')};\nerror_log ${join(directory, 'error.log')};\n` +
      `events {}\nhttp {\n${temporary}\n${example}\n}\n`,
  );
  const parameters = ['-g', 'daemon off;', '-c', path, '-p', directory];
  return runFrontProxy(place, PROGRAM, parameters, () => readFile(log, 'utf8'));
};
