import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Misconfigured } from '../../application/ports/faults.ts';
import { checkConfig } from '../../main/cli/checkConfig.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { startEmbeddedPostgres } from '../../infrastructure/postgres/embedded.ts';
import { createService } from '../../main/main.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { commonSettings, type Settings } from '../support/installation/serviceProcess.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';

describe("The Root CA's key in production", function () {
  this.timeout(120_000);
  let directory: string;
  let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-root-key-'));
    // Production refuses a server that does not wait for its disk, as that of the tests.
    server = await startEmbeddedPostgres({
      dataDir: `${await serverDirectory('root-key')}/postgres`,
    });
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const settings = (rootKeyOnline: boolean): Settings => ({
    ...commonSettings(),
    SVC_DATABASE_URL: server.url,
    SVC_DATA_DIR: directory,
    SVC_PORT: '0',
    SVC_ROOT_KEY_ONLINE: String(rootKeyOnline),
  });

  async function start(rootKeyOnline: boolean): Promise<void> {
    const config = { ...readConfig(settings(rootKeyOnline)), SVC_PROFILE: 'production' as const };
    const service = createService(config);
    try {
      await service.start();
    } finally {
      await service.stop();
    }
  }

  /** Lines of `check-config` about the switch. */
  async function checked(rootKeyOnline: boolean): Promise<readonly string[]> {
    const lines: string[] = [];
    const environment = {
      ...settings(rootKeyOnline),
      SVC_PROFILE: 'production',
      SVC_SW_MASTER_KEY: Buffer.from(Array.from({ length: 32 }, (_, at) => at)).toString('base64'),
      SVC_RP_API_BASE: 'https://id.example.mn',
      SVC_ADMIN_PASSWORD_COST: '15',
      SVC_PKI_POLICY_ARC: '1.2.3.4',
    };
    await checkConfig(environment, (line) => lines.push(line));
    return lines.filter((line) => line.includes('SVC_ROOT_KEY_ONLINE'));
  }

  it('is neither made nor kept by the service unless SVC_ROOT_KEY_ONLINE says so', async () => {
    const noRoot = await rejection(start(false));
    expect(noRoot).to.be.instanceOf(Misconfigured);
    expect((noRoot as Error).message).to.match(/^There is no Root CA yet\./);
    expect(await checked(false)).to.satisfy(([line = '']: readonly string[]) =>
      line.startsWith('fails SVC_ROOT_KEY_ONLINE: There is no Root CA yet.'),
    );

    await start(true);
    expect(await checked(true)).to.deep.equal([]);

    const kept = await rejection(start(false));
    expect(kept).to.be.instanceOf(Misconfigured);
    expect((kept as Error).message).to.match(/^The key of the Root CA \(ca-root\) is in a vault/);
    expect(await checked(false)).to.satisfy(([line = '']: readonly string[]) =>
      line.startsWith('fails SVC_ROOT_KEY_ONLINE: The key of the Root CA (ca-root) is in a vault'),
    );
  });
});
