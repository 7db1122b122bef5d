import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { RevocationState } from '../../../application/certificate/ports/revocationLists.ts';
import { createRevocationListBuilder } from '../../../infrastructure/crl/revocationListBuilder.ts';
import { prepareOpensslCrl } from '../peers/opensslCrl.ts';
import { hasWrk, requestsPerSecond } from '../peers/wrk.ts';
import { startBenchKeys } from '../support/benchAuthority.ts';
import { startChildServer } from '../support/childServer.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import type { Bench, Scenario } from '../support/scenario.ts';

/** P7: issuing and serving a CRL. */
export const crlScenario: Scenario = { id: 'P7', title: 'CRL', run };

/** Entries processed between turns of the event loop: a page of the read model. */
const PAGE = 5000;

async function run(bench: Bench): Promise<readonly Row[]> {
  const keys = await startBenchKeys();
  bench.atEnd(() => keys.stop());
  // The first digest starts the signing thread.
  await keys.vault.signDigest(keys.authority.issuer('personal').keyLabel, randomBytes(32));
  const making = [
    ...(await make(bench, keys, bench.size(100_000, 1000), 30)),
    ...(await make(bench, keys, bench.size(1_000_000, 5000), 300)),
  ];
  return [...making, ...(await serve(bench))];
}

type Keys = Awaited<ReturnType<typeof startBenchKeys>>;

/** Issues a CRL from the read model, and another after one revocation. */
async function make(bench: Bench, keys: Keys, entries: number, goalMs: number) {
  const { authority, vault } = keys;
  const serials = randomBytes(16 * entries);
  function* states(): Generator<RevocationState> {
    for (let index = 0; index < entries; index += 1) yield stateOf(serials, index);
  }
  bench.progress(`an index of ${entries} entries for openssl`);
  const openssl = await prepareOpensslCrl(bench.directory, states());
  let number = 0n;

  async function ours() {
    const builder = createRevocationListBuilder(authority.issuer('personal'), vault);
    const sign = async () => {
      number += 1n;
      const thisUpdate = new Date();
      const nextUpdate = new Date(thisUpdate.getTime() + 86_400_000);
      return builder.sign({ number, thisUpdate, nextUpdate });
    };
    const started = performance.now();
    let taken = 0;
    for (const state of states()) {
      builder.load(state);
      taken += 1;
      if (taken % PAGE === 0) await new Promise(setImmediate);
    }
    await sign();
    const wholeMs = performance.now() - started;

    builder.apply(stateOf(randomBytes(16), 0));
    await new Promise(setImmediate);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const again = performance.now();
    const der = await sign();
    const againMs = performance.now() - again;
    delay.disable();
    return { wholeMs, againMs, delayMs: delay.max / 1e6, bytes: der.length };
  }

  const runs = await interleave(
    bench.rounds,
    { ours, openssl: () => openssl.generate() },
    bench.progress,
  );
  const peer = measured('openssl ca -gencrl', runs.openssl);
  const subject = (values: readonly number[]) => measured('ours', values);
  const target = { floor: { atMost: 0.5 }, goal: { atMost: 0.1 } };
  const again = subject(runs.ours.map(({ againMs }) => againMs));
  const [first] = runs.ours;
  bench.note(`${entries} entries: ${String(first?.bytes)} bytes.`);
  return [
    row(
      `${entries} entries, encoded and signed`,
      'ms',
      {
        subject: subject(runs.ours.map(({ wholeMs }) => wholeMs)),
        peer,
      },
      target,
    ),
    row(`${entries} entries, one added, signed again`, 'ms', { subject: again, peer }, target),
    row(
      `${entries} entries, one added, signed again`,
      'ms',
      { subject: again },
      { goal: { atMost: goalMs } },
    ),
    row(
      'longest turn of the event loop meanwhile',
      'ms',
      {
        subject: subject(runs.ours.map(({ delayMs }) => delayMs)),
      },
      { goal: { atMost: 20 } },
    ),
  ];
}

function stateOf(serials: Buffer, index: number): RevocationState {
  // Positive and of constant length, like issued ones.
  const at = index * 16;
  serials[at] = ((serials[at] ?? 0) & 0x3f) | 0x40;
  return {
    serial: serials.toString('hex', at, at + 16),
    authority: 'personal',
    state: 'revoked',
    reason: 1,
    revokedAt: '2026-01-02T03:04:05Z',
    notAfter: `2029-01-${String((index % 28) + 1).padStart(2, '0')}T00:00:00Z`,
  };
}

/** Serves a CRL of some 20,000 entries, in full and as 304. */
async function serve(bench: Bench): Promise<readonly Row[]> {
  if (!hasWrk()) {
    bench.note('wrk is not installed: serving is not measured.');
    return [];
  }
  const settings = { bytes: 1_000_000 };
  const start = async (module: string) => {
    const server = await startChildServer({ module: new URL(module, import.meta.url), settings });
    bench.atEnd(() => server.stop());
    return server;
  };
  const ours = await start('../support/crlProcess.js');
  const bare = await start('../peers/staticServer.js');
  const get = (port: number, headers: Readonly<Record<string, string>>) => () =>
    requestsPerSecond({
      port,
      method: 'GET',
      target: '/crl',
      headers,
      directory: bench.directory,
      seconds: bench.size(2, 1),
    });
  const known = { 'If-None-Match': '"1"' };
  const contestants = {
    whole: get(ours.port, {}),
    bareWhole: get(bare.port, {}),
    unchanged: get(ours.port, known),
    bareUnchanged: get(bare.port, known),
  };
  for (const warm of Object.values(contestants)) await warm();
  const runs = await interleave(bench.rounds, contestants, bench.progress);
  const against = (measure: string, subject: readonly number[], peer: readonly number[]) =>
    row(
      measure,
      'requests/s',
      { subject: measured('GET /crl', subject), peer: measured('bare http, in memory', peer) },
      { floor: { atLeast: 0.5 }, goal: { atLeast: 0.8 } },
    );
  return [
    against('GET /crl, a list of 1 MB', runs.whole, runs.bareWhole),
    against('GET /crl, not modified', runs.unchanged, runs.bareUnchanged),
  ];
}
