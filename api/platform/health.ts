import { z } from 'zod';
import { NotReady } from '../../application/ports/faults.ts';
import { anyone } from '../http/handling.ts';
import { type Reply, type ResponseShape, type Route, route } from '../http/route.ts';

/** State of a projection in `/readyz`. */
export interface ProjectionState {
  readonly name: string;
  /** False when an event stopped the projection or no process projects; the process is then degraded. */
  readonly running: boolean;
  /** Delay behind the log, s. */
  readonly lagSeconds: number;
}

/** Numbers of what waits for an operator, over all processes; those without any are left out. */
export interface LeftBehind {
  /** Parked rows by read model. */
  readonly parked: ReadonlyMap<string, number>;
  /** Dead letters by reactor. */
  readonly deadLetters: ReadonlyMap<string, number>;
}

export interface HealthOptions {
  /** Version of the service, as `GET /v3/admin/system` reports it. */
  readonly version: string;
  /**
   * Checks of dependencies by name; each resolves when the dependency responds. `/readyz` names a
   * failed dependency, with the reason where the check rejects with `NotReady`; no other cause is
   * shown or logged.
   */
  readonly checks: Readonly<Record<string, () => Promise<unknown>>>;
  /** Checks of external parties that only a part of the service needs: a failure degrades it. */
  readonly partners?: HealthOptions['checks'];
  readonly projections: () => readonly ProjectionState[];
  /** Numbers of what waits for an operator; any degrades the service. Default: nothing. */
  readonly leftBehind?: () => Promise<LeftBehind>;
  /** Timeout of a check, ms; default 2000. */
  readonly timeoutMs?: number;
  /** True once the process is told to end: it is not ready, though it answers still. Default: never. */
  readonly isEnding?: () => boolean;
  readonly exposeMetrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
}

const liveAnswer = z.object({ status: z.literal('live'), version: z.string() });

/** State of projections and dependencies. */
export const dependencyState = z.enum(['up', 'degraded', 'down']);
const projectionAnswer = z
  .object({
    name: z.string(),
    running: z.boolean(),
    lagSeconds: z.number().min(0),
  })
  .meta({ id: 'Projection' });
export const leftBehindAnswer = {
  parked: z
    .array(z.strictObject({ projection: z.string(), rows: z.int() }))
    .meta({ description: 'Read models with rows that wait for an operator; other rows continue' }),
  deadLetters: z
    .array(z.strictObject({ reactor: z.string(), events: z.int() }))
    .meta({ description: 'Reactors that skipped events' }),
};
const readyAnswer = z
  .object({
    status: z.enum(['ready', 'degraded', 'notReady']).meta({
      description:
        'degraded: an external service is unavailable, read models are behind, or something waits for an operator; the rest of the service works',
    }),
    dependencies: z.record(z.string(), dependencyState),
    reasons: z.record(z.string(), z.string()).optional().meta({
      description: 'Why a dependency is not up, if known',
    }),
    projections: z.array(projectionAnswer),
    leftBehind: z
      .strictObject(leftBehindAnswer)
      .optional()
      .meta({ description: 'Absent if nothing waits for an operator' }),
  })
  .meta({ id: 'Readiness' });

/** Body of `/readyz` once the process is told to end. */
const endingAnswer = {
  status: 'notReady',
  dependencies: {},
  reasons: { process: 'This process is shutting down. Ask another one.' },
  projections: [],
};

/**
 * `/livez`: the process runs. `/readyz`: its dependencies respond. `/metrics`. Served under any
 * load.
 */
export function healthRoutes(options: HealthOptions): readonly Route[] {
  const { timeoutMs } = options;

  async function ready(): Promise<Reply> {
    // Balancers are told at once, whatever a dependency takes to answer.
    if (options.isEnding?.() === true) return { status: 503, body: endingAnswer };
    const [entries, leftBehind] = await Promise.all([
      dependencyStates(options, timeoutMs),
      leftBehindBody(options, timeoutMs),
    ]);
    const isLeftBehind = leftBehind.parked.length + leftBehind.deadLetters.length > 0;
    const projections = options.projections();
    const has = (state: DependencyState) => entries.some(([, found]) => found === state);
    const reasons = entries.flatMap(([name, , reason]) =>
      reason === null ? [] : [[name, reason] as const],
    );
    const isReady = !has('down');
    const isDegraded =
      has('degraded') || isLeftBehind || projections.some(({ running }) => !running);
    return {
      status: isReady ? 200 : 503,
      body: {
        status: isReady ? (isDegraded ? 'degraded' : 'ready') : 'notReady',
        dependencies: Object.fromEntries(entries.map(([name, state]) => [name, state])),
        ...(reasons.length > 0 && { reasons: Object.fromEntries(reasons) }),
        projections,
        ...(isLeftBehind ? { leftBehind } : {}),
      },
    };
  }

  const healthRoute = (
    name: string,
    summary: string,
    response: ResponseShape,
    handle: () => Promise<Reply> | Reply,
  ): Route =>
    route({
      name,
      summary,
      response,
      method: 'GET',
      path: `/${name}`,
      underLoad: 'alwaysServe',
      guard: anyone,
      handle,
    });

  return [
    healthRoute('livez', 'Get whether the process runs', { 200: liveAnswer }, () => ({
      body: { status: 'live', version: options.version },
    })),
    healthRoute(
      'readyz',
      'Get whether the process and its dependencies can serve',
      { 200: readyAnswer, 503: readyAnswer },
      ready,
    ),
    healthRoute(
      'metrics',
      'Get metrics in the Prometheus exposition format',
      { 200: 'text/plain' },
      async () => {
        const { contentType, text } = await options.exposeMetrics();
        return { body: Buffer.from(text), contentType };
      },
    ),
  ];
}

/** Answer about what was left behind; nothing while the database is unavailable, which its own check says. */
export async function leftBehindBody(
  { leftBehind }: Pick<HealthOptions, 'leftBehind'>,
  timeoutMs = 2000,
) {
  let found: LeftBehind = { parked: new Map(), deadLetters: new Map() };
  await outcomeOf(async () => {
    found = (await leftBehind?.()) ?? found;
  }, timeoutMs);
  return {
    parked: Array.from(found.parked, ([projection, rows]) => ({ projection, rows })),
    deadLetters: Array.from(found.deadLetters, ([reactor, events]) => ({ reactor, events })),
  };
}

/** Checks all dependencies concurrently. @param timeoutMs of each; default 2000 */
export async function dependencyStates(
  { checks, partners = {} }: Pick<HealthOptions, 'checks' | 'partners'>,
  timeoutMs = 2000,
): Promise<readonly (readonly [name: string, state: DependencyState, reason: string | null])[]> {
  const states = (of: HealthOptions['checks'], otherwise: DependencyState) =>
    Object.entries(of).map(async ([name, check]) => {
      const { up, reason } = await outcomeOf(check, timeoutMs);
      return [name, up ? 'up' : otherwise, reason] as const;
    });
  return Promise.all([...states(checks, 'down'), ...states(partners, 'degraded')]);
}

type DependencyState = z.output<typeof dependencyState>;

interface Outcome {
  readonly up: boolean;
  /** Null: none that may be shown. */
  readonly reason: string | null;
}

function outcomeOf(check: () => Promise<unknown>, timeoutMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const down: Outcome = { up: false, reason: null };
    const timer = setTimeout(resolve, timeoutMs, down);
    const settle = (outcome: Outcome) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    check().then(
      () => settle({ up: true, reason: null }),
      (cause: unknown) =>
        settle(cause instanceof NotReady ? { up: false, reason: cause.message } : down),
    );
  });
}
