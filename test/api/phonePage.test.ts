import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { spareCitizens } from '../../infrastructure/registry/demo/spareCitizens.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { startEmbeddedPostgres } from '../../infrastructure/postgres/embedded.ts';
import { createService } from '../../main/main.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';
import { commonSettings } from '../support/installation/serviceProcess.ts';

describe('The page of the phone', function () {
  this.timeout(60_000);
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tamga-phone-page-'));
  });

  after(() => rm(directory, { recursive: true, force: true }));

  type Ask = (path: string, options?: RequestInit) => Promise<Response>;

  async function inProfile(
    profile: 'development' | 'staging' | 'production',
    look: (ask: Ask) => Promise<void>,
    databaseUrl?: string,
  ): Promise<void> {
    const config = readConfig({
      ...commonSettings(),
      SVC_DATABASE_URL: databaseUrl ?? (await migratedDatabase()),
      SVC_DATA_DIR: directory,
      SVC_PORT: '0',
      SVC_DEVICE_LINK_BASE: 'https://id.example.mn/device-link',
    });
    const service = createService({
      ...config,
      SVC_PROFILE: profile,
      SVC_ROOT_KEY_ONLINE: true,
    });
    await service.start();
    try {
      await look((path, options) =>
        fetch(service.origin + path, { redirect: 'manual', ...options }),
      );
    } finally {
      await service.stop();
    }
  }

  it('comes with a strict policy, its worker and the citizens to choose from', () =>
    inProfile('development', async (ask) => {
      const page = await ask('/phone');
      expect(page.status, 'Build the pages: npm run build:pages').to.equal(200);
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy.split('; ').sort()).to.deep.equal([
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "img-src 'self' blob:",
        "manifest-src 'self'",
        'media-src blob:',
        "require-trusted-types-for 'script'",
        "script-src 'self'",
        "style-src 'self'",
        'trusted-types phone',
        "worker-src 'self'",
      ]);
      expect(page.headers.get('permissions-policy')).to.contain('camera=(self)');
      expect(page.headers.get('x-content-type-options')).to.equal('nosniff');
      const html = await page.text();
      expect(html).not.to.match(/<style|style=|<script(?![^>]*\bsrc=)/);

      const worker = await ask('/phone/sw.js');
      expect(worker.headers.get('service-worker-allowed')).to.equal('/phone');
      expect(worker.headers.get('content-security-policy')).to.contain("connect-src 'self'");
      expect((await ask('/phone/manifest.webmanifest')).status).to.equal(200);
      const { citizens } = (await (await ask('/phone/citizens.json')).json()) as {
        citizens: object[];
      };
      expect(citizens).to.deep.equal(spareCitizens);
    }));

  it('is what device links lead to, with the link as it was signed', () =>
    inProfile('development', async (ask) => {
      const query = 'deviceLinkType=QR&elapsedSeconds=2&sessionToken=a%2Bb&authCode=x-_';
      const answer = await ask(`/device-link?${query}`);
      expect(answer.status).to.equal(302);
      const location = new URL(answer.headers.get('location') ?? '', 'http://here');
      expect(location.pathname).to.equal('/phone');
      expect(location.searchParams.get('link')).to.equal(
        `https://id.example.mn/device-link?${query}`,
      );
      expect((await ask('/device-link', { method: 'POST' })).status).to.equal(405);
    }));

  it('offers nobody in the profile staging', () =>
    inProfile('staging', async (ask) => {
      expect((await ask('/phone')).status).to.equal(200);
      expect(await (await ask('/phone/citizens.json')).json()).to.deep.equal({ citizens: [] });
    }));

  it('does not exist in the profile production', async () => {
    // Production refuses a server that does not wait for its disk, as that of the tests.
    const durable = await startEmbeddedPostgres({
      dataDir: `${await serverDirectory('durable')}/postgres`,
    });
    const look = async (ask: Ask) => {
      for (const path of [
        '/phone',
        '/phone/',
        '/phone/sw.js',
        '/phone/citizens.json',
        '/device-link?x=1',
      ]) {
        const answer = await ask(path);
        expect(answer.status, path).to.equal(404);
        expect(await answer.text(), path).to.contain('NOT_FOUND');
      }
    };
    await inProfile('production', look, durable.url).finally(() => durable.stop());
  });
});
