import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initialRelyingPartySettings } from '../../../domain/relyingParty/settings.ts';
import { createOrganizations } from '../../../application/organization/organizations.ts';
import { createEventLog } from '../../../infrastructure/eventstore/eventLog.ts';
import { createMemoryPersonKeys } from '../../support/doubles/memoryPersonKeys.ts';
import { createPersonalDataVault } from '../../../infrastructure/codec/personalDataVault.ts';
import { createPostgresEventLog } from '../../../infrastructure/eventstore/postgresEventLog.ts';
import { systemClock, systemRandomness } from '../../../infrastructure/system.ts';
import { openRawSigner, type TokenAccess } from '../peers/rawPkcs11.ts';
import { openWebcryptoP11 } from '../peers/webcryptoP11.ts';
import { hasWrk, type HttpLoadResult, measureHttp } from '../peers/wrk.ts';
import { openHttp, requestBytes } from '../support/httpConnection.ts';
import { openLoop } from '../../../main/drill/openLoop.ts';
import { closedLoop, type LoadResult } from '../support/load.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import type { BenchRelyingParty } from '../support/serviceCycle.ts';
import { startBenchService } from '../support/service.ts';
import { buildSlowToken } from '../support/slowToken.ts';
import { median, percentile } from '../support/statistics.ts';
import { takeInTurn } from '../support/takeInTurn.ts';

/** P5: seals including guard, eligibility, signature and a durable event before the response. */
export const sealScenario: Scenario = { id: 'P5', title: 'e-Seal', run };

const REGISTER = '5123456';
const CALLERS = 32;
const RAW_SESSIONS = 8;
/** Share of what the closed loop reached, and connections, of the open loop. */
const OPEN = { share: 0.6, connections: 64 } as const;
/** Digests sealed in turn. */
const DIGESTS = 4096;
/** Simulated network HSM. */
const NETWORK = { sessions: 16, milliseconds: 2 } as const;

async function run(bench: Bench): Promise<readonly Row[]> {
  if (!hasWrk()) bench.note('The load comes from this process: not installed (wrk).');
  const software = await startSealing(bench, 'software', {});
  const token = createToken(bench);
  if (token === null) {
    bench.note('SoftHSM2 (package softhsm2) is not installed: software keys alone.');
    const contestants = { many: () => software.seal(CALLERS) };
    const runs = await interleave(bench.rounds, contestants, bench.progress);
    return [rate('seals, software keys, c=32', runs.many)];
  }
  const hardware = await startSealing(bench, 'token', inToken(token, RAW_SESSIONS));
  const slow = buildSlowToken(bench.directory, token.modulePath, NETWORK.milliseconds);
  if (slow === null) bench.note('No C compiler: the device in the network is left out.');
  const network =
    slow === null
      ? null
      : await startSealing(bench, 'network', {
          ...inToken({ ...token, modulePath: slow }, NETWORK.sessions),
        });
  const raw = openRawSigner(token, RAW_SESSIONS);
  const webcrypto = await openWebcryptoP11(token);
  bench.atEnd(() => {
    raw.close();
    webcrypto.close();
    return Promise.resolve();
  });
  const milliseconds = lasting(bench);
  const reached: number[] = [];
  const runs = await interleave(
    bench.rounds,
    {
      token: async () => {
        const load = await hardware.seal(CALLERS);
        reached.push(load.perSecond);
        return load;
      },
      open: () => hardware.sealAtRate(OPEN.share * median(reached)),
      raw: () => closedLoop(RAW_SESSIONS, milliseconds, (_, worker) => raw.sign(worker)),
      webcrypto: () => closedLoop(1, milliseconds, () => webcrypto.sign()),
      software: () => software.seal(CALLERS),
      single: () => hardware.seal(1),
      ...(network !== null && { network: () => network.seal(CALLERS) }),
    },
    bench.progress,
  );
  return [
    ...tokenRows(runs),
    rate('seals, software keys, c=32', runs.software),
    ...(runs.network === undefined ? [] : [networkRow(runs.network)]),
  ];
}

interface SealLoad extends HttpLoadResult {
  /** Processor time of the service per seal, µs. */
  readonly cpu: number;
}

function tokenRows(runs: {
  readonly token: readonly SealLoad[];
  /** p99 of each open loop, ms. */
  readonly open: readonly number[];
  readonly raw: readonly LoadResult[];
  readonly webcrypto: readonly LoadResult[];
  readonly single: readonly SealLoad[];
}): readonly Row[] {
  const { token, open, raw, webcrypto, single } = runs;
  const subject = measured('POST /v3/seal', perSecond(token));
  const own = (values: readonly number[]) => ({ subject: measured('POST /v3/seal', values) });
  const peers = {
    'raw C_SignAsync, 8 sessions': raw,
    'node-webcrypto-p11, one at a time': webcrypto,
  };
  return [
    row(
      'processor time of the service',
      'µs/seal',
      own(token.map(({ cpu }) => cpu)),
      // 1,500 and 1,000 seals a second of a core.
      { goal: { atMost: 667 }, floor: { atMost: 1000 } },
    ),
    row('SoftHSM2, p99 at 60 % of capacity', 'ms', own(open), { goal: { atMost: 15 } }),
    ...Object.entries(peers).map(([name, loads]) =>
      row('seals, SoftHSM2, c=32', 'seals/s', { subject, peer: measured(name, perSecond(loads)) }),
    ),
    row('SoftHSM2, c=1, p50', 'ms', own(single.map(({ p50 }) => p50))),
  ];
}

function networkRow(loads: readonly SealLoad[]): Row {
  const { sessions, milliseconds } = NETWORK;
  const limit = (sessions * 1000) / milliseconds;
  return row(
    `seals, device in the network, c=${CALLERS}`,
    'seals/s',
    {
      subject: measured('POST /v3/seal', perSecond(loads)),
      peer: measured(`${sessions} sessions of ${milliseconds} ms`, [limit]),
    },
    { goal: { atLeast: 0.8 } },
  );
}

function inToken(token: TokenAccess, sessions: number): Readonly<Record<string, string>> {
  return {
    SVC_SEAL_QSCD: 'true',
    SVC_PKCS11_MODULE: token.modulePath,
    SVC_PKCS11_TOKEN: token.tokenLabel,
    SVC_PKCS11_PIN: token.pin,
    SVC_PKCS11_SESSIONS: String(sessions),
  };
}

function lasting(bench: Bench): number {
  return bench.size(2000, 200);
}

/**
 * Warms up until the engine has compiled the code: by count, because a busy machine takes longer.
 */
async function warmUp(bench: Bench, sealer: Sealer): Promise<void> {
  const enough = bench.size(6000, 100);
  const deadline = performance.now() + 10_000;
  for (let seals = 0; seals < enough && performance.now() < deadline;) {
    bench.progress(`warming up: ${seals} of ${enough} seals`);
    seals += (await sealer.seal(CALLERS)).requests;
  }
}

interface Sealer {
  /** Seals digests sequentially on each connection. */
  seal(connections: number): Promise<SealLoad>;
  /** Begins seals at a fixed rate. @returns p99 from when each was due, ms */
  sealAtRate(perSecond: number): Promise<number>;
}

const bodies = Array.from({ length: DIGESTS }, () =>
  JSON.stringify({ digest: randomBytes(32).toString('base64') }),
);

function perSecond(loads: readonly { readonly perSecond: number }[]): readonly number[] {
  return loads.map((load) => load.perSecond);
}

function rate(name: string, loads: readonly { readonly perSecond: number }[]): Row {
  return row(name, 'seals/s', { subject: measured('POST /v3/seal', perSecond(loads)) });
}

/** Starts a service with an organization that has a seal certificate. */
async function startSealing(
  bench: Bench,
  name: string,
  environment: Readonly<Record<string, string>>,
): Promise<Sealer> {
  const databaseUrl = await bench.freshDatabase(`seal_${name}`);
  const service = await startBenchService(bench, { databaseUrl, citizens: 0, environment });
  bench.atEnd(() => service.stop());
  await registerOrganization(databaseUrl);
  const { port } = service.main;
  const { relyingPartyId, apiSecret } = await service.main.ask<BenchRelyingParty>(
    'registerRelyingParty',
    {
      ...initialRelyingPartySettings,
      name: 'Seals',
      permissions: ['SEAL'],
      firstParty: true,
    },
  );
  const headers = { Authorization: `Bearer ${apiSecret}` };
  await service.main.ask('prepareSealing', { relyingPartyId, register: REGISTER });
  const target = `/v3/seal/NTRMN-${REGISTER}`;
  const sealer: Sealer = {
    seal: async (connections) => {
      const before = await service.main.ask<number>('cpu');
      const load = await measureHttp({
        port,
        method: 'POST',
        target,
        headers,
        bodies,
        connections,
        seconds: bench.size(2, 1),
        directory: bench.directory,
      });
      return { ...load, cpu: ((await service.main.ask<number>('cpu')) - before) / load.requests };
    },
    sealAtRate: async (rateDue) => {
      const opened = Array.from({ length: OPEN.connections }, () => openHttp({ port }));
      const connections = await Promise.all(opened);
      const turns = takeInTurn(connections);
      const latencies: number[] = [];
      await openLoop(rateDue, lasting(bench), async (index) => {
        const dueAt = performance.now();
        const connection = await turns.take();
        const body = bodies[index % bodies.length];
        const answer = await connection.send(requestBytes('POST', target, headers, body));
        if (answer.status !== 200) throw new Error(`HTTP ${answer.status}: ${String(answer.body)}`);
        latencies.push(answer.receivedAt - dueAt);
        turns.give(connection);
      });
      for (const connection of connections) connection.close();
      return percentile(latencies, 0.99);
    },
  };
  await warmUp(bench, sealer);
  return sealer;
}

async function registerOrganization(url: string): Promise<void> {
  const log = createPostgresEventLog({ url });
  await log.start();
  const vault = createPersonalDataVault({
    keys: createMemoryPersonKeys(),
    masterKey: randomBytes(32),
  });
  const organizations = createOrganizations({
    eventStore: createEventLog({ store: log, vault }),
    clock: systemClock,
    randomness: systemRandomness,
  });
  const registration = { register: REGISTER, name: 'Bench', nameLatin: 'BENCH', activate: true };
  await organizations.handle(
    REGISTER,
    { type: 'RegisterOrganization', registration, now: new Date().toISOString() },
    {
      actor: { kind: 'operator', id: 'bench' },
      correlationId: REGISTER,
      causationId: REGISTER,
      requestId: null,
      ip: null,
    },
  );
  await log.stop();
}

const modulePaths = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
];

/**
 * Creates a token in the bench's directory, for this process and its children; null without
 * SoftHSM2.
 */
function createToken({ directory }: Bench): TokenAccess | null {
  const modulePath = modulePaths.find((path) => existsSync(path));
  if (modulePath === undefined) return null;
  const tokens = join(directory, 'tokens');
  mkdirSync(tokens);
  const configuration = join(directory, 'softhsm2.conf');
  writeFileSync(configuration, `directories.tokendir = ${tokens}\nlog.level = ERROR\n`);
  process.env['SOFTHSM2_CONF'] = configuration;
  const token = { modulePath, tokenLabel: 'bench', pin: '123456' };
  execFileSync('softhsm2-util', [
    ...['--init-token', '--free', '--label', token.tokenLabel],
    ...['--pin', token.pin, '--so-pin', '12345678', '--module', modulePath],
  ]);
  return token;
}
