import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type DemoInstallation, startDemoInstallation } from '../support/demoInstallation.ts';

const run = promisify(execFile);

async function openssl(...parameters: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run('openssl', parameters);
  return stdout + stderr;
}

describe('The trust services before OpenSSL', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let stop = (): Promise<void> => Promise.resolve();
  let trust: Awaited<ReturnType<DemoInstallation['service']['writeTrustFiles']>>;
  const path = (name: string) => join(demo.directory, name);

  before(async function () {
    if ((await openssl('version').catch(() => null)) === null) {
      console.log('    openssl is missing (package openssl): skipped');
      this.skip();
    }
    demo = await startDemoInstallation();
    stop = () => demo.stop();
    trust = await demo.service.writeTrustFiles(demo.directory);
  });

  after(() => stop());

  describe('timestamps', () => {
    it('are issued at /tsa and verify with the root alone', async () => {
      await writeFile(path('content'), randomBytes(1000));
      await openssl(
        ...['ts', '-query', '-sha256', '-cert', '-data', path('content')],
        ...['-out', path('query')],
      );
      const response = await fetch(`${demo.service.origin}/tsa`, {
        method: 'POST',
        headers: { 'content-type': 'application/timestamp-query' },
        body: await readFile(path('query')),
      });
      expect(response.status).to.equal(200);
      await writeFile(path('reply'), Buffer.from(await response.arrayBuffer()));
      const outcome = await openssl(
        ...['ts', '-verify', '-queryfile', path('query'), '-in', path('reply')],
        ...['-CAfile', trust.anchorsPem],
      );
      expect(outcome).to.contain('Verification: OK');
    });
  });
});
