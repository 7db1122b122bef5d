import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { keptAlive, oneConnectionEach, type OcspTarget } from '../peers/ocspLoad.ts';
import { type OcspServer, startCfsslOcsp, startOpensslOcsp } from '../peers/ocspServers.ts';
import { interleave, measured, type Row, row, type Target } from '../support/measure.ts';
import {
  createPeerAuthority,
  storeSubjects,
  type OcspSubject,
  ocspSubjects,
  requestWriter,
} from '../support/ocspCertificates.ts';
import { pinToServerCore } from '../support/pinning.ts';
import { revocationDelays, warmUp } from '../support/ocspClient.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { type BenchService, startBenchService } from '../support/service.ts';

/**
 * P6: certificate status, with prepared responses and with a nonce, and the delay of a revocation.
 */
export const ocspScenario: Scenario = { id: 'P6', title: 'OCSP', run };

/** Number of distinct nonces; none is cached. */
const NONCES = 20_000;

async function run(bench: Bench): Promise<readonly Row[]> {
  if (!isInstalled('wrk') || !isInstalled('ab')) {
    bench.note(
      'wrk and ab (packages wrk, apache2-utils) make the load: without them nothing runs.',
    );
    return [];
  }
  const subjects = ocspSubjects(bench.size(100_000, 1000));
  const databaseUrl = await bench.freshDatabase('ocsp');
  const service = await startBenchService(bench, {
    databaseUrl,
    citizens: bench.size(50, 5),
  });
  bench.atEnd(() => service.stop());
  await pinToServerCore(service.main.pid);
  bench.note('Servers on one core, load on the other.');
  await storeSubjects(databaseUrl, subjects);
  const requests = await requestsFor(service, subjects);
  bench.progress('the first answers');
  await warmUp(service.main.port, requests.plain);
  const peers = await startPeers(bench, subjects);

  const ours = targetOf(bench, service.main.port, '/ocsp');
  // A fresh process per run: openssl hangs on a second run of ab.
  const openssl = async (request: Buffer) => {
    const server = await startOpensslOcsp(peers.authority);
    try {
      return await oneConnectionEach(targetOf(bench, server.port, '/'), request, count);
    } finally {
      await server.stop();
    }
  };
  const cfssl = peers.cfssl === null ? null : targetOf(bench, peers.cfssl.port, '/');
  const [first = Buffer.alloc(0)] = requests.plain;
  const count = bench.size(20_000, 500);
  const runs = await interleave(
    bench.rounds,
    {
      post: () => keptAlive(ours, 'POST', requests.plain),
      get: () => keptAlive(ours, 'GET', requests.plain),
      nonce: () => keptAlive(ours, 'POST', requests.withNonce),
      single: () => oneConnectionEach(ours, first, count),
      openssl: () => openssl(peers.plain),
      opensslNonce: () => openssl(peers.withNonce),
      ...(cfssl === null ? {} : { cfssl: () => keptAlive(cfssl, 'POST', peers.all) }),
    },
    bench.progress,
  );
  bench.progress('revoking');
  const delays = await revocationDelays(service.main, requests.write.personal);

  const subject = (name: string, rates: readonly number[]) => measured(name, rates);
  const plainPeer = subject('openssl ocsp, ab', runs.openssl);
  const against = (measure: string, rates: readonly number[], peer = plainPeer, target = {}) =>
    row(measure, 'requests/s', { subject: subject(measure, rates), peer }, target);
  const cfsslRuns = (runs as { readonly cfssl?: readonly number[] }).cfssl;
  const cfsslPeer = cfsslRuns && subject('cfssl ocspserve, wrk', cfsslRuns);
  return [
    row(
      'POST, kept alive',
      'requests/s',
      { subject: subject('POST, kept alive', runs.post) },
      { floor: { atLeast: 5000 }, goal: { atLeast: 10_000 } },
    ),
    against('POST, kept alive', runs.post, plainPeer, atLeast(2)),
    ...(cfsslPeer === undefined
      ? []
      : [against('POST, kept alive', runs.post, cfsslPeer, atLeast(2))]),
    against('GET, kept alive', runs.get),
    against('POST, a connection each', runs.single),
    against(
      'POST with nonce, kept alive',
      runs.nonce,
      subject('openssl ocsp with nonce, ab', runs.opensslNonce),
      atLeast(0.6),
    ),
    row(
      'revocation durable to visible, median',
      'ms',
      { subject: subject('revocation', delays) },
      { goal: { atMost: 100 } },
    ),
    row(
      'revocation durable to visible, longest',
      'ms',
      { subject: subject('revocation', [Math.max(...delays)]) },
      { goal: { atMost: 100 } },
    ),
  ];
}

const atLeast = (times: number): Target => ({ goal: { atLeast: times } });

function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program]);
    return true;
  } catch {
    return false;
  }
}

function targetOf({ directory, size }: Bench, port: number, path: string): OcspTarget {
  return { port, path, directory, seconds: size(2, 1) };
}

async function requestsFor({ main }: BenchService, subjects: readonly OcspSubject[]) {
  const issuerOf = async (name: string) => {
    const answer = await fetch(`http://127.0.0.1:${main.port}/ca/${name}.cer`);
    return requestWriter(Buffer.from(await answer.arrayBuffer()));
  };
  const write = {
    personal: await issuerOf('personal'),
    organization: await issuerOf('organization'),
  };
  return {
    write,
    plain: subjects.map(({ authority, serial }) => write[authority](serial)),
    withNonce: subjects
      .slice(0, NONCES)
      .map(({ authority, serial }) => write[authority](serial, randomBytes(16))),
  };
}

async function startPeers(bench: Bench, subjects: readonly OcspSubject[]) {
  bench.progress('starting the peers');
  const authority = await createPeerAuthority(bench.directory, subjects);
  let cfssl: OcspServer | null = null;
  if (isInstalled('cfssl')) {
    const started = await startCfsslOcsp(authority);
    bench.atEnd(() => started.stop());
    cfssl = started;
  } else {
    bench.note('cfssl (package golang-cfssl) is not installed: no comparison with it.');
  }
  const all = subjects.map(({ serial }) => authority.request(serial));
  const [{ serial } = { serial: '00' }] = subjects;
  return {
    authority,
    cfssl,
    all,
    plain: authority.request(serial),
    withNonce: authority.request(serial, randomBytes(16)),
  };
}
