import type { Socket } from 'node:dgram';
import { expect } from 'chai';
import { doctor } from '../../main/cli/doctor.ts';
import { compareClock } from '../../infrastructure/ntp.ts';
import { noteDone } from '../../infrastructure/postgres/lastDone.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { commonSettings, masterKey } from '../support/installation/serviceProcess.ts';
import { freePort } from '../../main/drill/freePort.ts';
import { timeServer } from '../support/clocks/timeServer.ts';

describe('./tamga doctor', function () {
  this.timeout(120_000);
  let demo: DemoInstallation;
  const servers: Socket[] = [];

  async function asked(aheadMs: number | null): Promise<string> {
    const { socket, address } = await timeServer(aheadMs);
    servers.push(socket);
    return address;
  }

  before(async () => {
    demo = await startDemoInstallation();
  });

  after(async () => {
    for (const socket of servers) socket.close();
    await demo.stop();
  });

  async function examined(ntp: string, settings: NodeJS.ProcessEnv = {}, backup?: string) {
    const lines: string[] = [];
    const environment = {
      ...commonSettings(),
      SVC_DATABASE_URL: demo.databaseUrl,
      SVC_DATA_DIR: demo.directory,
      ...settings,
    };
    const options = { ntp, json: true, ...(backup !== undefined && { backup }) };
    const code = await doctor(environment, options, (line) => lines.push(line));
    const text = lines.join('\n');
    const { findings } = JSON.parse(text) as {
      readonly findings: readonly { colour: string; about: string; text: string }[];
    };
    const of = (about: string) => findings.filter((each) => each.about.startsWith(about));
    return { code, text, findings, of };
  }

  it('examines an installation beside its service and prints no secret', async () => {
    const { code, text, findings, of } = await examined(await asked(0));
    expect(findings.filter(({ colour }) => colour === 'red')).to.deep.equal([]);
    expect(code).to.equal(0);
    expect(of('clock')[0]?.colour).to.equal('green');
    expect(of('Node.js')[0]?.colour).to.equal('green');
    expect(of('revocation list').length).to.be.greaterThan(0);
    expect(of('certificate of the').length).to.be.greaterThan(1);
    expect(of('read models')[0]?.text).to.match(/positions, \d+\.\d s behind the log$/u);
    expect(of('certificate of the Tamga').map(({ about }) => about)).to.include.members([
      'certificate of the Tamga Time-Stamping Unit',
      'certificate of the Tamga OCSP Responder for the Personal Issuing CA',
    ]);
    expect(of('last backup')[0]).to.include({ colour: 'yellow' });
    expect(of('tree head')).to.have.length(1);
    expect(text).not.to.include(masterKey);
    expect(text).not.to.include(demo.databaseUrl);
  });

  it('asks the process that runs, and says when none does', async () => {
    const { port } = new URL(demo.service.origin);
    const { of } = await examined(await asked(0), { SVC_PORT: port });
    expect(of('service')[0]).to.include({ colour: 'green', text: 'ready' });
    expect(of('projections')[0]?.text).to.match(/s behind the log$/u);
    const other = await examined(await asked(0), { SVC_MANAGEMENT_PORT: String(await freePort()) });
    expect(other.of('service')[0]?.text).to.match(/^nothing answers/u);
  });

  it('knows the last backup that was noted', async () => {
    const pool = createPool({ url: demo.databaseUrl });
    const database = createDatabase<unknown>(pool);
    await noteDone(database, 'backup', new Date());
    await database.destroy();
    const { of } = await examined(await asked(0));
    expect(of('last backup')[0]).to.include({ colour: 'green' });
  });

  it('is red and ends with 1 for a clock that is wrong and a setting that is', async () => {
    const { code, of } = await examined(await asked(-20_000), { SVC_PORT: 'http' });
    expect(code).to.equal(1);
    expect(of('clock')[0]).to.include({ colour: 'red' });
    expect(of('configuration')[0]?.text).to.match(/^SVC_PORT: /u);
  });

  it('says what it could not examine, and why', async () => {
    const settings = { SVC_DATABASE_URL: undefined, SVC_SW_MASTER_KEY: undefined };
    const { of } = await examined(await asked(0), settings, demo.directory);
    expect(of('database')[0]?.text).to.include('SVC_DATABASE_URL');
    expect(of('last backup')[0]).to.include({ colour: 'red' });
    expect(of('last backup')[0]?.text).to.include('SVC_SW_MASTER_KEY');
    expect(of(`disk ${demo.directory}`)).to.have.length(1);
  });

  it('does not wait for a time server that is silent or has no name', async () => {
    expect(await compareClock(await asked(null), 50)).to.equal(null);
    expect(await compareClock('nowhere.invalid', 1000)).to.equal(null);
  });
});
