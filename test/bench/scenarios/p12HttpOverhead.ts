import { hasWrk, type HttpLoad, requestsPerSecond } from '../peers/wrk.ts';
import { type ChildServer, startChildServer } from '../support/childServer.ts';
import { interleave, measured, type Row, row, type Target } from '../support/measure.ts';
import type { ConfirmAnswer, PipelineAnswer } from '../support/pipelineProcess.ts';
import { sampleData } from '../support/sampleEvent.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { createBodyOf } from '../support/serviceCycle.ts';

/** P12: what the pipeline costs: authentication, request id, metrics, schemas, problems, with nothing behind it. */
export const httpOverheadScenario: Scenario = { id: 'P12', title: 'HTTP overhead', run };

/** Over Express 5 with its JSON parser and zod. */
const TARGET: Target = { floor: { atLeast: 1 }, goal: { atLeast: 1.2 } };

async function run(bench: Bench): Promise<readonly Row[]> {
  if (!hasWrk()) bench.note('wrk is not installed: requests come from a loop in this process.');
  const start = async (module: string): Promise<ChildServer> => {
    const server = await startChildServer({
      module: new URL(module, import.meta.url),
      settings: null,
    });
    bench.atEnd(() => server.stop());
    return server;
  };
  const common = { directory: bench.directory, seconds: 1 };
  const own = await loadsOf(await start('../support/pipelineProcess.js'));
  const { port } = await start('../peers/expressServer.js');
  const sending = (load: () => Load | Promise<Load>) => async () =>
    requestsPerSecond({ ...common, ...(await load()) });
  const contestants = {
    create: sending(own.create),
    confirm: sending(own.confirm),
    seal: sending(own.seal),
    poll: sending(own.poll),
    discovery: sending(own.discovery),
    expressPost: sending(() => ({ ...own.create(), port, target: '/create' })),
    expressGet: sending(() => ({ port, method: 'GET', target: '/complete', headers: {} })),
  };
  for (const warm of Object.values(contestants)) await warm();
  const runs = await interleave(bench.rounds, contestants, bench.progress);

  const against = (measure: string, rates: readonly number[], express: readonly number[]) =>
    row(
      measure,
      'requests/s',
      { subject: measured(measure, rates), peer: measured('Express + JSON + zod', express) },
      TARGET,
    );
  return [
    against('create, append stubbed', runs.create, runs.expressPost),
    against('confirm, signatures stubbed', runs.confirm, runs.expressPost),
    against('seal, sealing stubbed', runs.seal, runs.expressPost),
    against('poll of a COMPLETE session', runs.poll, runs.expressGet),
    against('discovery', runs.discovery, runs.expressGet),
  ];
}

type Load = Omit<HttpLoad, 'directory' | 'seconds'>;

/** The requests of one pipeline process. */
export async function loadsOf(server: ChildServer) {
  const details = await server.ask<PipelineAnswer>('details');
  const { port } = server;
  const headers = { Authorization: `Bearer ${details.apiSecret}` };
  const get = (target: string) => (): Load => ({ port, method: 'GET', target, headers });
  const post = (target: string, body: string) => (): Load => ({
    port,
    method: 'POST',
    target,
    headers,
    body,
  });
  const create = post(
    `/v3/authentication/notification/etsi/PNOMN-${details.civilId}`,
    createBodyOf(details.relyingPartyId, sampleData.rpChallenge)(0),
  );
  return {
    create: (): Load => ({ ...create(), varied: true }),
    seal: post('/v3/seal/NTRMN-5123456', JSON.stringify({ digest: sampleData.rpChallenge })),
    poll: get(`/v3/session/${details.sessionId}?timeoutMs=30000`),
    discovery: get('/.well-known/eid'),
    /** Made anew for each run: its proof is good for a minute. */
    confirm: async (): Promise<Load> => {
      const confirm = await server.ask<ConfirmAnswer>('confirm');
      return { port, method: 'POST', ...confirm };
    },
  };
}
