import { hasWrk, requestsPerSecond } from '../peers/wrk.ts';
import { type ChildServer, startChildServer } from '../support/childServer.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import type { ConfirmAnswer, PipelineAnswer } from '../support/pipelineProcess.ts';
import { sampleData } from '../support/sampleEvent.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { createBodyOf } from '../support/serviceCycle.ts';

/** P12: what the pipeline costs: authentication, request id, metrics, schemas, problems, with nothing behind it. */
export const httpOverheadScenario: Scenario = { id: 'P12', title: 'HTTP overhead', run };

const FLOOR = { atLeast: 1 };

async function run(bench: Bench): Promise<readonly Row[]> {
  if (!hasWrk()) bench.note('wrk is not installed: requests come from a loop in this process.');
  const start = async (module: string, settings: unknown = null): Promise<ChildServer> => {
    const server = await startChildServer({ module: new URL(module, import.meta.url), settings });
    bench.atEnd(() => server.stop());
    return server;
  };
  const ours = await start('../support/pipelineProcess.js');
  const bare = await start('../peers/bareServer.js');
  const express = await start('../peers/expressServer.js');
  const details = await ours.ask<PipelineAnswer>('details');
  const headers = { Authorization: `Bearer ${details.apiSecret}` };
  const body = createBodyOf(details.relyingPartyId, sampleData.rpChallenge)(0);
  const sized = { directory: bench.directory, seconds: bench.size(1, 1) };
  const post = (server: ChildServer, target: string) => () =>
    requestsPerSecond({
      ...{ port: server.port, method: 'POST', target, headers, body, ...sized },
      varied: true,
    });
  const get = (server: ChildServer, target: string) => () =>
    requestsPerSecond({ port: server.port, method: 'GET', target, headers, ...sized });

  const create = `/v3/authentication/notification/etsi/PNOMN-${details.civilId}`;
  const contestants = {
    create: post(ours, create),
    confirm: async () => {
      // Its proof is good for a minute.
      const confirm = await ours.ask<ConfirmAnswer>('confirm');
      return requestsPerSecond({ port: ours.port, method: 'POST', ...confirm, ...sized });
    },
    seal: () =>
      requestsPerSecond({
        ...{ port: ours.port, method: 'POST', target: '/v3/seal/NTRMN-5123456', headers },
        ...{ body: JSON.stringify({ digest: sampleData.rpChallenge }), ...sized },
      }),
    bareCreate: post(bare, '/create'),
    expressCreate: post(express, '/create'),
    poll: get(ours, `/v3/session/${details.sessionId}?timeoutMs=30000`),
    discovery: get(ours, '/.well-known/eid'),
    bareGet: get(bare, '/complete'),
    expressGet: get(express, '/complete'),
  };
  for (const warm of Object.values(contestants)) await warm();
  const runs = await interleave(bench.rounds, contestants, bench.progress);

  const against = (
    measure: string,
    subject: readonly number[],
    peers: [string, number[], object][],
  ) =>
    peers.map(([name, rates, target]) =>
      row(
        measure,
        'requests/s',
        { subject: measured(measure, subject), peer: measured(name, rates) },
        target,
      ),
    );
  const overBare = { goal: { atLeast: 0.5 } };
  const overExpress = { floor: FLOOR, goal: { atLeast: 2.5 } };
  return [
    ...against('create, append stubbed', runs.create, [
      ['bare http + JSON + zod', runs.bareCreate, overBare],
      ['Express + JSON + zod', runs.expressCreate, overExpress],
    ]),
    ...against('confirm, append and signatures stubbed', runs.confirm, [
      ['bare http + JSON + zod', runs.bareCreate, overBare],
      ['Express + JSON + zod', runs.expressCreate, overExpress],
    ]),
    ...against('seal, sealing stubbed', runs.seal, [
      ['bare http + JSON + zod', runs.bareCreate, overBare],
      ['Express + JSON + zod', runs.expressCreate, overExpress],
    ]),
    ...against('poll of a COMPLETE session', runs.poll, [
      ['bare http', runs.bareGet, overBare],
      ['Express', runs.expressGet, overExpress],
    ]),
    ...against('discovery', runs.discovery, [
      ['bare http', runs.bareGet, overBare],
      ['Express', runs.expressGet, overExpress],
    ]),
  ];
}
