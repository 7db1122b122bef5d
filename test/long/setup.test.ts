import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect } from 'chai';
import {
  type EmbeddedServer,
  startEmbeddedPostgres,
} from '../../infrastructure/postgres/embedded.ts';
import { createLiveRelyingParty, enrolLivePhone } from '../../main/drill/callers.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';
import type { FrontProxy } from '../support/programs/frontProxy.ts';
import { hasNginx, startNginx } from '../support/programs/nginx.ts';
import { freePort } from '../../main/drill/freePort.ts';
import { setupMachine } from '../support/programs/setupMachine.ts';

/** Blocks of a page from one heading to another, as one script: the commands, and the files as they are to be written. */
function scriptOf(page: string, files: readonly string[]): string {
  let written = 0;
  const blocks = page.matchAll(/^```(sh|ini)\n([\s\S]*?)^```$/gmu);
  return Array.from(blocks, ([, kind, text = '']) => {
    if (kind === 'sh') return text;
    written += 1;
    return `cat > ${files[written - 1] ?? ''} <<'END'\n${text}END\n`;
  }).join('');
}

/** Settings that the page has for a trial of it alone. */
const trial = [
  'SVC_ROOT_KEY_ONLINE=true',
  'SVC_KYC_CITIZEN_CARD=true',
  'SVC_KYC_UNPROVED_LEVEL=QUALIFIED',
];

describe('O11: setting up one machine by its page', function () {
  this.timeout(300_000);
  const trusted = getCACertificates('default');
  let directory: string;
  let server: EmbeddedServer;
  let proxy: FrontProxy;

  before(async function () {
    if (!hasNginx()) {
      process.stdout.write('nginx is missing: the page is not run.\n');
      this.skip();
    }
    directory = await mkdtemp(join(tmpdir(), 'tamga-setup-'));
    server = await startEmbeddedPostgres({
      dataDir: join(await serverDirectory('setup', directory), 'postgres'),
    });
  });

  after(async () => {
    setDefaultCACertificates(trusted);
    const pid = Number(await readFile(join(directory, 'log.pid'), 'utf8').catch(() => '0'));
    if (pid > 0) process.kill(pid, 'SIGKILL');
    await proxy.stop();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('leads to a login, each of its commands as it is written', async () => {
    const programs = await setupMachine(directory);
    const [port, management] = [await freePort(), await freePort()];
    proxy = await startNginx([`http://127.0.0.1:${port}`]);
    for (const folder of ['etc/tamga', 'var/backups/tamga', 'tmp']) {
      await mkdir(join(directory, folder), { recursive: true });
    }
    await cp('docs/samples/civil-register.csv', join(directory, 'opt/tamga/people.csv'));
    await symlink(resolve('docker'), join(directory, 'opt/tamga/docker'));
    await writeFile(
      join(directory, 'etc/tamga/backup-recipients'),
      'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj\n',
    );
    const [, afterHeading = ''] = (await readFile('docs/setup.md', 'utf8')).split(
      '## One machine\n',
    );
    const [page = ''] = afterHeading.split('\n## ');
    for (const each of trial) expect(page).to.include(`\`${each}\``);
    const { port: databasePort } = new URL(server.url);
    const script = scriptOf(page, ['/etc/tamga/environment', '/etc/tamga/all.environment'])
      // The server's own administrator has the role and the database of the page.
      .replaceAll(/(role|--owner|template0|\/\/) ?tamga\b/gu, (found) => `${found}_here`)
      .replace(/5432\/tamga\b/u, `${databasePort}/tamga_here`)
      .replaceAll('9090', String(management))
      .replace('SVC_RP_API_BASE=https://eid.example.mn', `SVC_RP_API_BASE=${proxy.origin}`)
      // A trial of the page alone, which it names; and ports that nothing else has.
      .replace('SVC_PROFILE=production', `$&\n${trial.join('\n')}`)
      .replace('SVC_SOLE_PROCESS=true', `$&\nSVC_PORT=${port}\nSVC_CONSOLE_PORT=0`)
      .replaceAll(/(?<![\w./])\/(etc|opt|var|tmp)\b/gu, `${directory}/$1`)
      .replaceAll('<your copy of this repository>', 'copy');
    const unit = join(directory, 'etc/systemd/system/tamga@.service');
    const { code, output } = await typed(
      // The unit names the same directories.
      script.replace(
        'systemctl daemon-reload',
        `sed -i 's#/\\(etc\\|opt\\|var\\)/#${directory}/\\1/#g' ${unit}`,
      ),
      { PATH: `${programs}:${process.env['PATH'] ?? ''}` },
    );
    expect(code, output).to.equal(0);
    expect(output).to.include(`ok    SVC_TRUSTED_PROXIES, through ${proxy.origin}`);
    expect(output).to.match(/Backed up to \S+: \d+ parts/u);
    expect(output).to.match(/^green {2}last backup: made/mu);

    setDefaultCACertificates([...trusted, await readFile(proxy.certificate, 'utf8')]);
    const [, relyingPartyId = ''] = /^relyingPartyUUID +(\S+)/mu.exec(output) ?? [];
    const [, apiSecret = ''] = /^API secret +(\S+)/mu.exec(output) ?? [];
    const bank = createLiveRelyingParty(
      proxy.origin,
      { relyingPartyId, apiSecret },
      'Bank of Examples',
    );
    const civilId = '110000000101';
    const card = { identifier: civilId, cardNumber: 'E00000101', birthDate: '1990-01-31' };
    const phone = await enrolLivePhone(proxy.origin, { civilId, card });
    const { created, body } = await bank.create(civilId);
    if (created === undefined) throw new Error(JSON.stringify(body));
    expect(await phone.confirm(created)).to.equal('OK');
    expect((await bank.poll(created.sessionId)).body['state']).to.equal('COMPLETE');
  });

  /** Runs a script as a shell of root would, with nothing of this one's environment. */
  async function typed(script: string, environment: Readonly<Record<string, string>>) {
    const shell = spawn('bash', ['--norc', '-eu', '-c', script], {
      env: {
        ...environment,
        ADMINISTRATOR: server.urlOf('postgres'),
        LOG: join(directory, 'log'),
        NODE_EXTRA_CA_CERTS: proxy.certificate,
      },
    });
    let output = '';
    for (const stream of [shell.stdout, shell.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    const [code] = (await once(shell, 'exit')) as [number | null];
    if (code !== null) return { code, output };
    return {
      code,
      output: output + (await readFile(join(directory, 'log'), 'utf8').catch(() => '')),
    };
  }
});
