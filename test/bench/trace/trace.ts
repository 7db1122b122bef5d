import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { demoCitizens } from '../../../main/cli/demo.ts';
import { createDemoIssuer } from '../../../main/cli/demoPlatform.ts';
import { type Demo, prepareDemo } from '../../../main/cli/demoPreparation.ts';
import { startScriptedPhones } from '../../../apps/phone/scripted.ts';
import { migratedDatabase } from '../../support/events/eventLogs.ts';
import { stopTestServer } from '../../support/programs/postgres.ts';
import { serverDirectory } from '../../support/installation/serverDirectory.ts';
import { createServiceHere } from '../../support/installation/serviceHere.ts';
import { startChildServer } from '../support/childServer.ts';
import {
  type Coverage,
  type Entered,
  functionsOf,
  inEach,
  startCoverage,
  together,
  without,
} from './coverage.ts';
import { type Flow, type FlowName, flowNames, flowsOf } from './flows.ts';

/** Files and functions of the service that a flow enters. */
interface Trace {
  readonly name: FlowName;
  readonly title: string;
  /** Until the answer, by a process that has the API alone. */
  readonly before: Entered;
  /** Before and after the answer, by a process that has all roles: projections, reactors, lists, too. */
  readonly all: Entered;
}

/** Runs of a flow before those that are traced: caches are warm then. */
const WARM_UPS = 2;
/** Runs that are traced. A sweep comes by the clock, every half minute or less often, and so in one of them at most. */
const RUNS = 2;
/** Time in which what an answer causes is done, ms. */
const SETTLED_MS = 2000;
/** Time in which what is done all the time without being asked is seen, ms. */
const IDLE_MS = 5000;

type OnProgress = (text: string) => void;

/**
 * Traces flows: which files and functions of the service one warm request enters, without those that are entered while
 * nobody asks or because a sweep's time has come. Once with projector and worker in another process, for what comes before the answer; once in one.
 */
async function traceFlows(
  wanted: readonly FlowName[],
  onProgress: OnProgress,
): Promise<readonly Trace[]> {
  const apart = await traceDemo(wanted, onProgress, { isApart: true });
  const inOne = await traceDemo(wanted, onProgress, { isApart: false });
  return apart.map((trace, index) => {
    const { all } = inOne[index] ?? trace;
    // Followed from another process, the log is read by files that one process alone does without.
    return { ...trace, all: together(trace.before, all) };
  });
}

/** Starts the demo, its API in this process, and traces flows. */
async function traceDemo(
  wanted: readonly FlowName[],
  onProgress: OnProgress,
  { isApart }: { readonly isApart: boolean },
): Promise<readonly Trace[]> {
  const directory = await serverDirectory('trace');
  const issuer = createDemoIssuer({});
  const settings = { SVC_DATA_DIR: directory, ...issuer.settings };
  const shared = {
    ...settings,
    SVC_DATABASE_URL: await migratedDatabase(),
    SVC_SOLE_PROCESS: String(!isApart),
    SVC_ADMIN_REQUIRE_4EYES: 'true',
    SVC_PUSH_TEST_CITIZENS: demoCitizens.map(({ civilId }) => civilId).join(','),
  };
  const roles = isApart ? 'api' : 'api,projector,worker';
  const service = createServiceHere({ ...shared, SVC_ROLES: roles });
  const telling = { step: onProgress, say: onProgress, show: onProgress, warn: onProgress };
  await service.start();
  const module = new URL('behind.js', import.meta.url);
  const behind = isApart ? await startChildServer({ module, settings: shared }) : null;
  try {
    const at = { SVC_DATA_DIR: directory, SVC_VERIFY_BASE: undefined };
    const demo = await prepareDemo(service, at, { issuer, passport: null, telling });
    const coverage = await startCoverage();
    try {
      const flows = await flowsOf(service, demo);
      const traces: Trace[] = [];
      const background = await idle(coverage);
      for (const name of wanted) {
        onProgress(`tracing ${name}`);
        const flow = flows[name];
        const entered = await traceOne(flow, demo.phones, coverage, background);
        traces.push({ name, title: flow.title, ...entered });
      }
      return traces;
    } finally {
      await coverage.stop();
    }
  } finally {
    await behind?.stop();
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function idle(coverage: Coverage): Promise<Entered> {
  await pause(SETTLED_MS);
  await coverage.take();
  await pause(IDLE_MS);
  return coverage.take();
}

async function traceOne(
  { prepare, withPhones }: Flow,
  answering: Demo['phones'],
  coverage: Coverage,
  background: Entered,
) {
  const phones = startScriptedPhones(answering);
  try {
    for (let run = 0; run < WARM_UPS; run += 1) await (await prepare())();
    const prepared: (() => Promise<unknown>)[] = [];
    while (prepared.length < RUNS) prepared.push(await prepare());
    if (withPhones !== true) await phones.stop();
    const runs: { readonly before: Entered; readonly all: Entered }[] = [];
    for (const flow of prepared) {
      await pause(SETTLED_MS);
      await coverage.take();
      const before = without(await untilAnswered(flow, coverage), background);
      await pause(SETTLED_MS);
      const after = without(await coverage.take(), background);
      runs.push({ before, all: together(before, after) });
    }
    return {
      before: inEach(runs.map(({ before }) => before)),
      all: inEach(runs.map(({ all }) => all)),
    };
  } finally {
    await phones.stop();
  }
}

/**
 * Coverage until the last answer of a flow leaves. By the time its caller has read it, the log's notification of
 * what was appended may have come, too.
 */
async function untilAnswered(flow: () => Promise<unknown>, coverage: Coverage): Promise<Entered> {
  const parts: Promise<Entered>[] = [];
  const onAnswer = () => parts.push(coverage.take());
  subscribe('http.server.response.finish', onAnswer);
  try {
    await flow();
  } finally {
    unsubscribe('http.server.response.finish', onAnswer);
  }
  return together(...(await Promise.all(parts)));
}

/** The counts, and the files by folder; `*`: not entered before the answer. */
function describeTrace({ name, title, before, all }: Trace): string {
  const count = (entered: Entered) => `${entered.size} files, ${functionsOf(entered)} functions`;
  const folders = new Map<string, string[]>();
  for (const file of [...all.keys()].sort()) {
    const folder = folders.get(dirname(file)) ?? [];
    folder.push(`${basename(file, '.ts')}${before.has(file) ? '' : '*'}`);
    folders.set(dirname(file), folder);
  }
  return [
    `${name}: ${title}: ${count(before)} before its answer, ${count(all)} in all`,
    ...[...folders].map(([folder, files]) => `  ${folder}: ${files.join(', ')}`),
  ].join('\n');
}

/**
 * `./tamga trace`: prints the traces.
 *
 * @param names of flows; empty: all
 * @returns exit code; 2 for an unknown flow
 */
export async function trace(names: readonly string[]): Promise<number> {
  const unknown = names.find((name) => !flowNames.some((flow) => flow === name));
  if (unknown !== undefined) {
    process.stderr.write(`There is no flow ${unknown}; there are ${flowNames.join(', ')}.\n`);
    return 2;
  }
  const wanted = names.length === 0 ? flowNames : flowNames.filter((name) => names.includes(name));
  try {
    const traces = await traceFlows(wanted, (text) => process.stderr.write(`${text}\n`));
    process.stdout.write(`${traces.map(describeTrace).join('\n\n')}\n`);
    return 0;
  } finally {
    await stopTestServer();
  }
}
