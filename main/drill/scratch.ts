import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Balancer, startBalancer } from './balancer.ts';
import {
  createLiveRelyingParty,
  enrolLivePhone,
  liveCitizens,
  type LivePhone,
  type LiveRelyingParty,
} from './callers.ts';
import { freePort } from './freePort.ts';
import { movedClock } from './movedClock.ts';
import {
  type DrillPostgres,
  type DrillRedis,
  startDrillPostgres,
  startDrillRedis,
} from './servers.ts';
import { type ServiceProcess, serviceProcess } from './serviceProcess.ts';

const run = promisify(execFile);

/** Processes of a drill, in the order in which an upgrade restarts them (docs/upgrading.md). */
export const processNames = [
  ...(['projector1', 'projector2', 'worker1', 'worker2', 'api1', 'api2', 'console'] as const),
] as const;

export type ProcessName = (typeof processNames)[number];

/** A release: the path of its command line, and the settings that only it knows. */
export interface Release {
  readonly program: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** An installation made to be broken: seven processes behind a balancer, servers and a directory of its own. */
export interface Scratch {
  /** Removed with it. */
  readonly directory: string;
  readonly balancer: Balancer;
  readonly postgres: DrillPostgres;
  /** Text: why there is none. */
  readonly redis: DrillRedis | string;
  readonly relyingParty: LiveRelyingParty;
  readonly phones: readonly LivePhone[];
  process(name: ProcessName): ServiceProcess;
  /** Stops it if it runs, and starts this release on its port; resolves once it serves. */
  replace(name: ProcessName, release: Release): Promise<void>;
  /** Starts it and does not wait until it serves. */
  relaunch(name: ProcessName, release: Release): void;
  /** @param seconds that the process is ahead from now on */
  moveClock(name: ProcessName, seconds: number): Promise<void>;
  /** Output of a command of the release. */
  tamga(release: Release, ...words: readonly string[]): Promise<string>;
  /** Leads processes and commands that start from now on to another database. */
  useDatabase(url: string): void;
  stop(): Promise<void>;
}

/** Settings besides those of the servers: no limit, and no load of the machine, decides what a fault shows. */
const settings = {
  SVC_PROFILE: 'development',
  SVC_LOG_LEVEL: 'error',
  SVC_TRUSTED_PROXIES: '127.0.0.1',
  SVC_RP_REQUESTS_PER_MINUTE: '1000000',
  SVC_KYC_REQUESTS_PER_MINUTE: '1000000',
  SVC_PUSHES_PER_MINUTE: '1000000',
  SVC_PUSHES_PER_RELYING_PARTY: '1000000',
  SVC_PUSHES_RUNNING: '0',
  SVC_PUSH_BACK_OFF: '0',
  SVC_PUSH_BLOCK_HOURS: '0',
  SVC_AI_SEED_KNOWLEDGE: 'false',
  SVC_MAX_EVENT_LOOP_DELAY: '30000',
  SVC_DATABASE_POOL: '5',
} as const;

const NAME = 'Drill';

/** Starts one of this release and enrols phones. */
export async function openScratch(release: Release): Promise<Scratch> {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-drill-'));
  // The server's own user walks into it.
  await chmod(directory, 0o755);
  const closing: (() => unknown)[] = [
    () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  ];
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    return await open(directory, release, closing, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function open(
  directory: string,
  release: Release,
  closing: (() => unknown)[],
  stop: () => Promise<void>,
): Promise<Scratch> {
  const postgres = await startDrillPostgres(directory);
  closing.push(() => postgres.stop());
  const redis = await startDrillRedis();
  if (typeof redis !== 'string') closing.push(() => redis.stop());
  const ports = new Map<ProcessName, number>();
  for (const name of processNames) ports.set(name, await freePort());
  const originOf = (name: ProcessName) => `http://127.0.0.1:${ports.get(name) ?? 0}`;
  const balancer = await startBalancer([originOf('api1'), originOf('api2')]);
  closing.push(() => balancer.stop());
  const processes = new Map<ProcessName, ServiceProcess>();
  const releases = new Map<ProcessName, Release>();
  closing.push(() => Promise.all([...processes.values()].map((each) => each.kill())));

  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  const environment: Record<string, string | undefined> = {
    ...Object.fromEntries(inherited),
    ...settings,
    NODE_COMPILE_CACHE: join(directory, 'compiled'),
    SVC_DATABASE_URL: await postgres.createDatabase('drill'),
    SVC_SW_MASTER_KEY: randomBytes(32).toString('base64'),
    SVC_ADMIN_TOKEN_SECRET: randomBytes(24).toString('hex'),
    SVC_DATA_DIR: join(directory, 'data'),
    ...(typeof redis !== 'string' && { SVC_REDIS_URL: redis.url }),
  };
  const clockOf = (name: ProcessName) => join(directory, `clock-${name}`);

  function created(name: ProcessName, { program, settings: own }: Release): ServiceProcess {
    const port = String(ports.get(name));
    const place =
      name === 'console'
        ? {
            SVC_CONSOLE_PORT: '0',
            SVC_CONSOLE_UPSTREAM: balancer.origin,
            SVC_MANAGEMENT_PORT: port,
          }
        : { SVC_PORT: port };
    return serviceProcess({
      origin: originOf(name),
      environment: { ...environment, ...own, ...place, SVC_ROLES: name.replace(/\d/u, '') },
      program,
      command: ['serve'],
      switches: [movedClock(clockOf(name))],
    });
  }

  function relaunch(name: ProcessName, release: Release): ServiceProcess {
    const next = created(name, release);
    processes.set(name, next);
    releases.set(name, release);
    next.launch();
    return next;
  }

  async function replace(name: ProcessName, by: Release): Promise<void> {
    const former = processes.get(name);
    if (former?.hasEnded() === false) {
      // A release that does not answer on while it ends is marked down before, as docs/upgrading.md says.
      if (releases.get(name)?.settings['SVC_DRAIN_SECONDS'] === undefined) {
        await balancer.takeOut(former.origin);
      }
      const code = await former.stop();
      if (code !== 0) throw new Error(`${name} ended with ${code}.\n${former.output()}`);
    }
    const next = relaunch(name, by);
    await next.untilReady();
    if (name.startsWith('api')) await balancer.untilUp(next.origin);
  }

  async function tamga({ program }: Release, ...words: readonly string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [program, ...words], { env: environment });
    return stdout;
  }

  await tamga(release, 'migrate');
  const registered = await tamga(release, 'rp', 'register', NAME);
  await tamga(
    release,
    ...['registry', 'import', 'civil', 'infrastructure/registry/demo/civil-registry.csv'],
  );
  for (const name of processNames) await replace(name, release);
  const [, relyingPartyId = ''] = /^relyingPartyUUID +(\S+)/mu.exec(registered) ?? [];
  const [, apiSecret = ''] = /^API secret +(\S+)/mu.exec(registered) ?? [];
  const phones: LivePhone[] = [];
  for (const each of liveCitizens) phones.push(await enrolLivePhone(balancer.origin, each));

  return {
    directory,
    balancer,
    postgres,
    redis,
    relyingParty: createLiveRelyingParty(balancer.origin, { relyingPartyId, apiSecret }, NAME),
    phones,
    process(name) {
      const found = processes.get(name);
      if (found === undefined) throw new Error(`There is no ${name}.`);
      return found;
    },
    replace,
    relaunch,
    moveClock: (name, seconds) => writeFile(clockOf(name), String(seconds * 1000)),
    tamga,
    useDatabase: (url) => {
      environment['SVC_DATABASE_URL'] = url;
    },
    stop,
  };
}
