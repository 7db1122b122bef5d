import { expect } from 'chai';
import { loadsOf } from './scenarios/p12HttpOverhead.ts';
import { type ChildServer, startChildServer } from './support/childServer.ts';

const MODULE = new URL('./support/pipelineProcess.js', import.meta.url);

describe('The stubs of the bench for the overhead of HTTP (P12)', () => {
  let server: ChildServer;
  let loads: Awaited<ReturnType<typeof loadsOf>>;
  before(async () => {
    server = await startChildServer({ module: MODULE, settings: null });
    loads = await loadsOf(server);
  });
  after(() => server.stop());

  for (const name of ['create', 'confirm', 'seal', 'poll', 'discovery'] as const) {
    it(`let ${name} succeed`, async () => {
      const load = await loads[name]();

      const response = await fetch(`http://127.0.0.1:${load.port}${load.target}`, {
        method: load.method,
        headers: { ...load.headers, 'Content-Type': 'application/json' },
        body: load.body ?? null,
      });

      expect(response.status, await response.text()).to.equal(200);
    });
  }
});
