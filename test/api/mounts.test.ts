import { expect } from 'chai';
import type { Mount } from '../../api/http/mount.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { createService } from '../../main/main.ts';
import { startTestServer } from '../support/http/http.ts';
import { commonSettings } from '../support/installation/serviceProcess.ts';

const mount: Mount = {
  paths: ['/demo', '/auth/eid/callback'],
  listener: (request, response) => response.end(`mine: ${String(request.url)}`),
};

describe('A program beside the service', () => {
  it('has its paths and everything below them, and nothing else', async () => {
    const { server, origin } = await startTestServer([], { mounts: [mount] });
    try {
      const ask = async (path: string) => (await fetch(origin + path)).text();
      for (const path of ['/demo', '/demo/', '/demo/wait?x=1', '/auth/eid/callback?state=1']) {
        expect(await ask(path)).to.equal(`mine: ${path}`);
      }
      for (const path of ['/demonstration', '/', '/auth/eid', '/v3/demo']) {
        expect(await ask(path)).to.contain('NOT_FOUND');
      }
    } finally {
      await server.stop();
    }
  });

  it('is taken in the profile development only', () => {
    const config = readConfig(commonSettings());
    for (const profile of ['staging', 'production'] as const) {
      const elsewhere = { ...config, SVC_PROFILE: profile };
      expect(() => createService(elsewhere, { mounts: [mount] })).to.throw('development');
      expect(() => createService(elsewhere)).not.to.throw();
    }
  });
});
