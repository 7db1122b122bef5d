import { EventStoreDBClient, StreamNotFoundError } from '@eventstore/db-client';
import { expect } from 'chai';
import pg from 'pg';
import { createEventStoreDbEventLog } from '../../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import {
  type AcknowledgedSession,
  type LoadFigures,
  runCycleLoad,
  type CycleLoadOptions,
  SLEPT_MS,
} from '../../../main/drill/cycleLoad.ts';
import type { Outage } from '../installation/clusterFaults.ts';
import { eventually } from '../assertions/eventually.ts';
import { migratedDatabase } from '../events/eventLogs.ts';
import {
  type Connection,
  connectionsTo,
  type EventStoreCluster,
} from '../eventStoreDb/eventStoreCluster.ts';
import { prepareInstallation } from '../installation/installation.ts';
import {
  createLiveRelyingParty,
  enrolLivePhone,
  liveCitizens,
  type LivePhone,
} from '../../../main/drill/callers.ts';
import {
  createServiceProcess,
  defaultPushes,
  type ServiceProcess,
} from '../installation/serviceProcess.ts';
import { until } from '../assertions/waiting.ts';

type Ports = readonly number[];

/** Result of one load during a fault. */
export interface FaultReport extends Omit<LoadFigures, 'slept'> {
  /** Polls answered late, though there was a leader to read from for {@link SLEPT_MS} of the time. */
  readonly slept: readonly string[];
  /**
   * Seconds from the moment the servers had a leader again to full service; infinite when calls were still disturbed when
   * the load ended.
   */
  readonly recoveredAfter: number;
  /** Acknowledged events that are not in the log. */
  readonly lost: readonly string[];
  /** Acknowledged events that no subscription delivered, or that the read models do not show. */
  readonly missed: readonly string[];
  /** Ports of the servers each process is connected to, before and after. */
  readonly connections: readonly (readonly [process: string, before: Ports, after: Ports])[];
}

/** An installation of four processes whose log the cluster keeps, and who watches it. */
export interface ClusterWorld {
  readonly apis: readonly [ServiceProcess, ServiceProcess];
  /** Process ids of all processes. @throws Error when one has ended */
  pids(): readonly number[];
  /** Connections of each process to the servers. */
  connections(): Promise<Readonly<Record<string, readonly Connection[]>>>;
  /**
   * Breaks something under a load, and counts.
   *
   * @param fault resolves with the time the servers had no leader
   */
  under(
    load: Pick<CycleLoadOptions, 'perSecond' | 'milliseconds' | 'slowMs'>,
    fault: () => Promise<Outage>,
  ): Promise<FaultReport>;
  /** Output of each process since the last call, at most this number of lines. */
  said(lines: number): string;
  stop(): Promise<void>;
}

/** At the end of a load: how long delivery and projection of what was acknowledged, and closing connections, may take, ms. */
const SETTLE_MS = 20_000;

/** Time without slow or failed calls after which the service counts as recovered, ms. */
const QUIET_MS = 1000;

/** Prepares an installation on a fresh database and the cluster, which has to be empty, and starts its processes. */
export async function startClusterWorld({ url }: EventStoreCluster): Promise<ClusterWorld> {
  const databaseUrl = await migratedDatabase();
  const settings = { SVC_DATABASE_URL: databaseUrl, SVC_EVENTSTORE_URL: url };
  const credentials = await prepareInstallation(settings);
  const process = async (roles: string) => {
    const started = await createServiceProcess({
      ...settings,
      // Default limits: an outage must not use them up.
      ...defaultPushes,
      SVC_ROLES: roles,
      SVC_LOG_LEVEL: 'warn',
    });
    await started.start();
    return started;
  };
  const apis = [await process('api'), await process('api')] as const;
  const processes: Readonly<Record<string, ServiceProcess>> = {
    'api 1': apis[0],
    'api 2': apis[1],
    projector: await process('projector'),
    worker: await process('worker'),
  };
  const relyingParty = createLiveRelyingParty(apis[0].origin, credentials);
  const phones: LivePhone[] = [];
  for (const [at, citizen] of liveCitizens.entries()) {
    phones.push(await enrolLivePhone(apis[at % 2 === 0 ? 0 : 1].origin, citizen));
  }

  // A process of its own, as it were, that follows the log the way projections and reactors do.
  const witness = createEventStoreDbEventLog({ url });
  await witness.start();
  const delivered = { all: new Set<string>(), sessions: new Set<string>() };
  const after = await witness.head();
  for (const [into, categories] of [
    [delivered.all, undefined],
    [delivered.sessions, ['session']],
  ] as const) {
    witness.subscribe({
      after,
      ...(categories && { categories }),
      onBatch: (events) => {
        for (const { stream, type } of events) into.add(`${stream} ${type}`);
        return Promise.resolve();
      },
    });
  }
  const told = new Map<string, number>();
  const database = new pg.Pool({ connectionString: databaseUrl, max: 2 });

  /** Acknowledged sessions whose end the read models do not show. */
  async function notProjected(sessions: readonly AcknowledgedSession[]): Promise<string[]> {
    const { rows } = await database.query<{ id: string; status: string }>(
      `select session_id::text as id, status from session_view where session_id::text = any($1)`,
      [sessions.map(({ sessionId }) => sessionId)],
    );
    const statuses = new Map(rows.map(({ id, status }) => [id, status]));
    return sessions
      .filter(({ sessionId, confirmed }) => {
        const status = statuses.get(sessionId);
        return status === undefined || (confirmed && status !== 'COMPLETE');
      })
      .map(({ sessionId }) => `${sessionId} in session_view`);
  }

  async function missedOf(sessions: readonly AcknowledgedSession[]): Promise<readonly string[]> {
    const facts = factsOf(sessions);
    const missed = async () => [
      ...facts.filter((fact) => !delivered.all.has(fact)).map((fact) => `${fact} in $all`),
      ...facts.filter((fact) => !delivered.sessions.has(fact)).map((fact) => `${fact} filtered`),
      ...(await notProjected(sessions)),
    ];
    await until(async () => (await missed()).length === 0, SETTLE_MS).catch(() => undefined);
    return missed();
  }

  const connections = async (): Promise<Readonly<Record<string, readonly Connection[]>>> =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(processes).map(
          async ([name, { pid }]) => [name, await connectionsTo(url, pid)] as const,
        ),
      ),
    );

  return {
    apis,
    pids: () => Object.values(processes).map(({ pid }) => pid),
    connections,
    under: async (load, fault) => {
      const before = await connections();
      const [figures, outage] = await Promise.all([
        runCycleLoad({
          relyingParty,
          phones,
          ...load,
          origins: [apis[0].origin, apis[1].origin],
        }),
        fault(),
      ]);
      const missed = await missedOf(figures.sessions);
      await until(async () => {
        const now = Object.entries(await connections());
        return now.every(([name, is]) => is.length <= (before[name]?.length ?? 0));
      }, SETTLE_MS).catch(() => undefined);
      return {
        ...figures,
        recoveredAfter: recoveryOf(figures, outage.until),
        slept: sleptThrough(figures, outage),
        lost: await eventually(() => lostOf(url, figures.sessions), SETTLE_MS),
        missed,
        connections: Object.entries(await connections()).map(([name, now]) => {
          return [name, portsOf(before[name] ?? []), portsOf(now)];
        }),
      };
    },
    said: (lines) =>
      Object.entries(processes)
        .map(([name, each]) => {
          const output = each.output();
          const news = output.slice(told.get(name) ?? 0).trimEnd();
          told.set(name, output.length);
          return `${name}:\n${news.split('\n').slice(-lines).join('\n')}`;
        })
        .join('\n'),
    stop: async () => {
      await witness.stop();
      await database.end();
      await Promise.all(Object.values(processes).map((each) => each.stop()));
    },
  };
}

/** The servers' own time without a leader is not counted: what they have nobody can read. */
function sleptThrough({ slept }: LoadFigures, { from, until: led }: Outage): readonly string[] {
  const awake = slept.filter(({ confirmedAt, answeredAt }) => {
    const withoutLeader = Math.max(0, Math.min(answeredAt, led) - Math.max(confirmedAt, from));
    return answeredAt - confirmedAt - withoutLeader > SLEPT_MS;
  });
  return awake.map(({ sessionId }) => sessionId);
}

function portsOf(connections: readonly Connection[]): Ports {
  return connections.map(({ port }) => port);
}

/**
 * Seconds from a moment to the end of the last call that failed, and of the slow ones that were begun before it or not
 * {@link QUIET_MS} later. A slow call by itself, long after, says how busy this machine is.
 */
function recoveryOf({ disturbances, endedAt }: LoadFigures, from: number): number {
  const failures = disturbances.filter(({ failed }) => failed).map(({ ended }) => ended);
  let recovered = Math.max(from, ...failures);
  for (const { begun, ended } of [...disturbances].sort((one, other) => one.begun - other.begun)) {
    if (begun <= recovered + QUIET_MS) recovered = Math.max(recovered, ended);
  }
  return recovered < endedAt - QUIET_MS ? (recovered - from) / 1000 : Infinity;
}

/** Acknowledged events: stream and type. */
function factsOf(sessions: readonly AcknowledgedSession[]): readonly string[] {
  return sessions.flatMap(({ sessionId, confirmed }) => [
    `session-${sessionId} SessionStarted`,
    ...(confirmed ? [`session-${sessionId} SessionConfirmed`] : []),
  ]);
}

/** Acknowledged events the log does not have, read from its leader with the servers' own client. */
async function lostOf(
  url: string,
  sessions: readonly AcknowledgedSession[],
): Promise<readonly string[]> {
  const client = EventStoreDBClient.connectionString(url);
  const found = new Set<string>();
  const left = [...sessions];
  const read = async (stream: string) => {
    try {
      for await (const { event } of client.readStream(stream, { requiresLeader: true })) {
        if (event !== undefined) found.add(`${stream} ${event.type}`);
      }
    } catch (error) {
      if (!(error instanceof StreamNotFoundError)) throw error;
    }
  };
  const readAll = async () => {
    for (let session = left.pop(); session !== undefined; session = left.pop()) {
      await read(`session-${session.sessionId}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: 8 }, readAll));
  } finally {
    await client.dispose();
  }
  return factsOf(sessions).filter((fact) => !found.has(fact));
}

/** Invariants under every fault of the nodes. */
export function expectNothingWrong(report: FaultReport): void {
  expect(report.surprises, 'answers nobody should get').to.deep.equal([]);
  expect(report.lost, 'lost').to.deep.equal([]);
  expect(report.missed, 'missed').to.deep.equal([]);
  expect(report.unknown, 'sessions unknown to a process').to.deep.equal([]);
  expect(report.slept, 'polls slept through').to.deep.equal([]);
  for (const [process, was, is] of report.connections) {
    expect(is.length, `connections of ${process}: ${was.join()}, then ${is.join()}`).to.be.at.most(
      was.length,
    );
  }
}
