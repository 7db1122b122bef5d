import { z } from 'zod';
import { anyone } from '../http/guards.ts';
import { type Reply, type ResponseShape, type Route, route } from '../http/route.ts';

/** One projection as `/readyz` shows it. */
export interface ProjectionState {
  readonly name: string;
  /** False makes the process not ready: an event stopped the projection. */
  readonly running: boolean;
  /** Seconds behind the log. */
  readonly lagSeconds: number;
}

export interface HealthOptions {
  /** Of the program, as `GET /v3/admin/system` reports it. */
  readonly version: string;
  /** One per dependency, by name: resolves when it answers. Causes are logged by nobody: `/readyz` names the dependency only. */
  readonly checks: Readonly<Record<string, () => Promise<unknown>>>;
  /** As `checks`, of parties outside that only a part of the service needs: without one it is degraded, not down. */
  readonly partners?: HealthOptions['checks'];
  readonly projections: () => readonly ProjectionState[];
  /** How long a check may take, ms; default 2000. */
  readonly timeoutMs?: number;
  readonly exposeMetrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
}

const nothing = z.object({});
const liveAnswer = z.object({ status: z.literal('live'), version: z.string() });

/** How projections and dependencies are. */
export const dependencyState = z.enum(['up', 'degraded', 'down']);
export const projectionAnswer = z
  .object({
    name: z.string(),
    running: z.boolean(),
    lagSeconds: z.number().min(0),
  })
  .meta({ id: 'Projection' });
const readyAnswer = z
  .object({
    status: z.enum(['ready', 'degraded', 'notReady']).meta({
      description: 'degraded: a party outside is away, the rest of the service works',
    }),
    dependencies: z.record(z.string(), dependencyState),
    projections: z.array(projectionAnswer),
  })
  .meta({ id: 'Readiness' });

/** `/livez`: the process turns. `/readyz`: what it depends on answers. `/metrics`. Served under any load. */
export function healthRoutes(options: HealthOptions): readonly Route[] {
  const { timeoutMs } = options;

  async function ready(): Promise<Reply> {
    const entries = await dependencyStates(options, timeoutMs);
    const projections = options.projections();
    const has = (state: DependencyState) => entries.some(([, found]) => found === state);
    const isReady = !has('down') && projections.every(({ running }) => running);
    return {
      status: isReady ? 200 : 503,
      body: {
        status: isReady ? (has('degraded') ? 'degraded' : 'ready') : 'notReady',
        dependencies: Object.fromEntries(entries),
        projections,
      },
    };
  }

  const row = (
    name: string,
    summary: string,
    response: ResponseShape,
    handle: () => Promise<Reply> | Reply,
  ): Route =>
    route({
      ...{ name, summary, response },
      method: 'GET',
      path: `/${name}`,
      underLoad: 'alwaysServe',
      guard: anyone,
      params: nothing,
      query: nothing,
      body: null,
      handle,
    });

  return [
    row('livez', 'Whether the process runs', { 200: liveAnswer }, () => ({
      body: { status: 'live', version: options.version },
    })),
    row(
      'readyz',
      'Whether the process and what it depends on can serve',
      { 200: readyAnswer, 503: readyAnswer },
      ready,
    ),
    row('metrics', 'Prometheus exposition', { 200: 'text/plain' }, async () => {
      const { contentType, text } = await options.exposeMetrics();
      return { body: Buffer.from(text), contentType };
    }),
  ];
}

/** Asks every dependency at once. @param timeoutMs of each; default 2000 */
export async function dependencyStates(
  { checks, partners = {} }: Pick<HealthOptions, 'checks' | 'partners'>,
  timeoutMs = 2000,
): Promise<readonly (readonly [name: string, state: DependencyState])[]> {
  const states = (of: HealthOptions['checks'], otherwise: DependencyState) =>
    Object.entries(of).map(
      async ([name, check]) => [name, (await isUp(check, timeoutMs)) ? 'up' : otherwise] as const,
    );
  return Promise.all([...states(checks, 'down'), ...states(partners, 'degraded')]);
}

type DependencyState = z.output<typeof dependencyState>;

function isUp(check: () => Promise<unknown>, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, false);
    const settle = (up: boolean) => {
      clearTimeout(timer);
      resolve(up);
    };
    check().then(
      () => settle(true),
      () => settle(false),
    );
  });
}
