import { type ChildServer, type MemoryAnswer, startChildServer } from '../support/childServer.ts';
import { holdPolls, socketBudget } from '../support/idlePolls.ts';
import { kernelBytes } from '../support/memory.ts';
import { interleave, measured, type Row, row } from '../support/measure.ts';
import { openHttp, requestBytes } from '../support/httpConnection.ts';
import type { Bench, Scenario } from '../support/scenario.ts';
import { runningSessions } from '../support/runningSessions.ts';
import { type BenchService, startBenchService } from '../support/service.ts';

const POLLS = 19_000;
const IDLE_MS = 5000;
const POLL_TIMEOUT_MS = 120_000;

/** P4: cost of a waiting poll, and its release. */
export const idlePollsScenario: Scenario = { id: 'P4', title: 'Idle polls', run };

interface Cost {
  /** Bytes per poll. */
  readonly rss: number;
  readonly heap: number;
  readonly kernel: number;
  /** Share of a core while idle. */
  readonly cpu: number;
  /** Heap after all polls were answered, relative to before. */
  readonly heapAfter: number;
}

async function run(bench: Bench): Promise<readonly Row[]> {
  const polls = Math.min(bench.size(POLLS, 300), await socketBudget());
  if (polls < POLLS && !bench.quick) {
    bench.note(`Only ${polls} polls: this process may open no more files (ulimit -n).`);
  }
  const service = await startBenchService(bench, {
    databaseUrl: await bench.freshDatabase('service'),
    citizens: 1,
  });
  bench.atEnd(() => service.stop());
  const sessions = await runningSessions(bench, service, polls);
  const headers = { Authorization: `Bearer ${service.relyingParty.apiSecret}` };
  const idle = bench.size(IDLE_MS, 500);

  const sizes = { polls, idleMs: idle };
  const runs = await interleave(
    // Every run opens and closes tens of thousands of connections, whose ports stay in TIME_WAIT
    // for a minute.
    Math.min(bench.rounds, 3),
    {
      // A fresh process, like the peers, that has read every session once: only the waiting is
      // measured.
      ours: async () => {
        const reader = await service.another({ SVC_ROLES: 'api', SVC_SOLE_PROCESS: 'false' });
        const poll = (timeoutMs: number) => (index: number) =>
          requestBytes(
            'GET',
            `/v3/session/${sessions[index] ?? ''}?timeoutMs=${timeoutMs}`,
            headers,
          );
        try {
          return await costOf(reader, sizes, { once: poll(0), hold: poll(POLL_TIMEOUT_MS) });
        } finally {
          await reader.stop();
        }
      },
      bare: () => peerCost('bareServer', sizes),
      express: () => peerCost('expressServer', sizes),
    },
    bench.progress,
  );

  const together = await holdInThreeProcesses(service, sessions, sizes);
  bench.note(
    `${together.held} polls waited at once in ${PROCESSES} processes, ` +
      `${(together.rss / 1024).toFixed(1)} KB of RSS each.`,
  );

  const of = (costs: readonly Cost[], pick: (cost: Cost) => number) => costs.map(pick);
  const heap = (cost: Cost) => cost.heap / 1024;
  const kilobytes = (cost: Cost) => cost.rss / 1024;
  const ours = measured('RSS', of(runs.ours, kilobytes));
  const kernel = measured(
    'RSS and kernel',
    of(runs.ours, ({ rss, kernel: bytes }) => (rss + bytes) / 1024),
  );
  bench.note(
    `${Math.round(1024 ** 2 / ours.value)} polls per GiB of RSS, ` +
      `${Math.round(1024 ** 2 / kernel.value)} with the kernel's part; ${polls} polls.`,
  );
  return [
    row(
      'RSS per waiting poll',
      'KB',
      { subject: ours },
      { floor: { atMost: 24 }, goal: { atMost: 17 } },
    ),
    row('RSS per waiting poll', 'KB', {
      subject: ours,
      peer: measured('bare http', of(runs.bare, kilobytes)),
    }),
    row('RSS per waiting poll', 'KB', {
      subject: ours,
      peer: measured('Express', of(runs.express, kilobytes)),
    }),
    row('heap per waiting poll', 'KB', {
      subject: measured('heap', of(runs.ours, heap)),
      peer: measured('bare http', of(runs.bare, heap)),
    }),
    row('RSS and kernel per waiting poll', 'KB', { subject: kernel }),
    row(
      `idle processor time with ${polls} polls`,
      '% of a core',
      {
        subject: measured(
          'idle',
          of(runs.ours, ({ cpu }) => cpu * 100),
        ),
      },
      { goal: { atMost: 4 } },
    ),
    row(
      `polls answered early of ${together.polls} in ${PROCESSES} processes`,
      'polls',
      { subject: measured('early', [together.polls - together.held]) },
      { floor: { atMost: 0 }, goal: { atMost: 0 } },
    ),
    row(
      'heap after the polls, relative to before',
      'x',
      {
        subject: measured(
          'heap',
          of(runs.ours, ({ heapAfter }) => heapAfter),
        ),
      },
      { goal: { atMost: 1.05 } },
    ),
  ];
}

const PROCESSES = 3;

/**
 * Holds as many polls in each of three processes, by three client processes, because of the limit of
 * open files.
 */
async function holdInThreeProcesses(
  service: BenchService,
  sessions: readonly string[],
  { polls, idleMs }: Sizes,
): Promise<{ readonly polls: number; readonly held: number; readonly rss: number }> {
  const settings = {
    sessions,
    apiSecret: service.relyingParty.apiSecret,
    timeoutMs: POLL_TIMEOUT_MS,
  };
  const pairs = await Promise.all(
    Array.from({ length: PROCESSES }, async () => ({
      server: await service.another({ SVC_ROLES: 'api', SVC_SOLE_PROCESS: 'false' }),
      holder: await startChildServer({
        module: new URL('../support/pollHolder.js', import.meta.url),
        settings: null,
      }),
    })),
  );
  const all = async (ask: (pair: (typeof pairs)[number]) => Promise<number>) => {
    let sum = 0;
    for (const pair of pairs) sum += await ask(pair);
    return sum;
  };
  const rss = async () =>
    all(async ({ server }) => {
      await untilIdle(server);
      return (await server.ask<MemoryAnswer>('memory')).rss;
    });
  const before = await rss();
  for (const { server, holder } of pairs) {
    await holder.ask('hold', { ...settings, port: server.port, count: polls });
  }
  const during = await rss();
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  const answered = await all(({ holder }) => holder.ask<number>('answered'));
  for (const { server, holder } of pairs) {
    await holder.stop();
    await server.stop();
  }
  const sum = polls * PROCESSES;
  return { polls: sum, held: sum - answered, rss: (during - before) / sum };
}

interface Sizes {
  readonly polls: number;
  readonly idleMs: number;
}

async function peerCost(module: 'bareServer' | 'expressServer', sizes: Sizes): Promise<Cost> {
  const server = await startChildServer({
    module: new URL(`../peers/${module}.js`, import.meta.url),
    settings: null,
  });
  try {
    return await costOf(server, sizes, {
      once: () => requestBytes('GET', '/complete', {}),
      hold: (index) => requestBytes('GET', `/poll/${index}`, {}),
    });
  } finally {
    await server.stop();
  }
}

async function costOf(
  server: ChildServer,
  { polls, idleMs }: Sizes,
  requests: {
    /**
     * Request answered at once; sent as often as polls will wait, to allocate lasting buffers
     * before the measurement.
     */
    readonly once: (index: number) => string;
    readonly hold: (index: number) => string;
  },
): Promise<Cost> {
  await sendAll(server, polls, requests.once);
  await untilIdle(server);
  const before = await server.ask<MemoryAnswer>('memory');
  const kernelBefore = await kernelBytes();
  const held = await holdPolls(server.port, polls, requests.hold);
  await untilIdle(server);
  const during = await server.ask<MemoryAnswer>('memory');
  const kernelDuring = await kernelBytes();
  const cpuBefore = await server.ask<number>('cpu');
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  const cpu = ((await server.ask<number>('cpu')) - cpuBefore) / 1000 / idleMs;
  if (held.answeredSoFar() > 0)
    throw new Error(`${held.answeredSoFar()} polls were answered instead of waiting.`);
  held.close();
  await untilIdle(server);
  const after = await server.ask<MemoryAnswer>('memory');
  return {
    rss: (during.rss - before.rss) / polls,
    heap: (during.heapUsed - before.heapUsed) / polls,
    // Both ends of each connection are on this machine.
    kernel: (kernelDuring - kernelBefore) / polls / 2,
    cpu,
    heapAfter: after.heapUsed / before.heapUsed,
  };
}

async function sendAll(
  server: ChildServer,
  count: number,
  request: (index: number) => string,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      const connection = await openHttp({ port: server.port });
      while (next < count) await connection.send(request(next++));
      connection.close();
    }),
  );
}

const QUIET_MS = 500;

/** Waits until the server is idle: half a second with almost no processor time. */
async function untilIdle(server: ChildServer): Promise<void> {
  for (let before = await server.ask<number>('cpu'); ;) {
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    const now = await server.ask<number>('cpu');
    if (now - before < QUIET_MS * 1000 * 0.05) return;
    before = now;
  }
}
