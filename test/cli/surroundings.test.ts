import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { remarksOnSurroundings, unsafeSurroundings } from '../../main/cli/surroundings.ts';

const run = promisify(execFile);
const module = fileURLToPath(new URL('../../main/cli/surroundings.js', import.meta.url));

describe('The surroundings of the process', function () {
  this.timeout(60_000);

  it('change no time, whatever zone and language the machine has', async () => {
    const program = `
      const { settleSurroundings } = await import(${JSON.stringify(module)});
      settleSurroundings();
      const at = new Date('2026-03-29T01:30:00Z');
      console.log([at.getHours(), at.getTimezoneOffset()].join(' '));`;
    for (const env of [{ TZ: 'Asia/Tokyo', LANG: 'tr_TR.UTF-8' }, { TZ: 'America/New_York' }]) {
      const parameters = ['--input-type=module', '--eval', program];
      const { stdout } = await run(process.execPath, parameters, {
        env: { PATH: process.env['PATH'], ...env },
      });
      expect(stdout.trim()).to.equal('1 0');
    }
  });

  it('add nothing to the address of the database but who connects', async () => {
    const program = `
      const { settleSurroundings } = await import(${JSON.stringify(module)});
      settleSurroundings();
      console.log(Object.keys(process.env).filter((name) => name.startsWith('PG')).join(' '));`;
    const env = {
      PATH: process.env['PATH'],
      PGHOST: 'elsewhere',
      PGSSLMODE: 'disable',
      PGOPTIONS: '-c search_path=evil',
      PGPASSWORD: 'secret',
    };
    const parameters = ['--input-type=module', '--eval', program];
    const { stdout } = await run(process.execPath, parameters, { env });
    expect(stdout.trim()).to.equal('PGPASSWORD');
  });

  it('are refused in production where they weaken the process, with a sentence each', () => {
    const of = (environment: NodeJS.ProcessEnv, switches: readonly string[] = []) =>
      unsafeSurroundings({ environment, switches });
    expect(of({ NODE_OPTIONS: '--max-old-space-size=4096 --enable-source-maps' })).to.deep.equal(
      [],
    );
    expect(of({ NODE_TLS_REJECT_UNAUTHORIZED: '1' })).to.deep.equal([]);
    for (const option of [
      '--insecure-http-parser',
      '--tls-min-v1.0',
      '--tls-min-v1.1',
      '--openssl-legacy-provider',
      '--tls-keylog=/tmp/keys',
      '--inspect',
      '--inspect=0.0.0.0:9229',
      '--inspect-brk',
    ]) {
      for (const faults of [of({ NODE_OPTIONS: `--no-warnings ${option}` }), of({}, [option])]) {
        expect(faults, option).to.have.length(1);
        expect(faults[0]).to.include(option).and.to.include('remove it from');
      }
    }
    expect(of({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).to.have.length(1);
  });

  it('are remarked on where they bound or redirect the process', () => {
    expect(remarksOnSurroundings({ environment: {} }, 1000, 65_536)).to.deep.equal([]);
    expect(remarksOnSurroundings({ environment: {} }, 10_000, 1024)[0]).to.include('LimitNOFILE');
    const environment = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: 'http://proxy:3128' };
    expect(remarksOnSurroundings({ environment }, 10, 65_536)[0]).to.include('NO_PROXY');
  });
});
