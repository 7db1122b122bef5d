import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  initialRelyingPartySettings,
  type RelyingPartySettings,
} from '../../../domain/relyingParty/settings.ts';
import { type BenchCitizen, type BenchPhone, enrolPhone } from './benchPhone.ts';
import { type ChildServer, startChildServer } from './childServer.ts';
import { openHttp } from './httpConnection.ts';
import type { Bench } from './scenario.ts';
import {
  type BenchRelyingParty,
  connectPoller,
  connectServiceUser,
  type CyclePorts,
  type Poller,
  type ServiceUser,
} from './serviceCycle.ts';

/** The service in one or more processes on one database, a relying party and enrolled citizens. */
export interface BenchService {
  readonly relyingParty: BenchRelyingParty;
  /** Process with all roles. */
  readonly main: ChildServer;
  /** Enrolled citizens with one phone each. */
  readonly citizens: readonly BenchCitizen[];
  /** Starts another process on the same database. */
  another(environment?: Readonly<Record<string, string>>): Promise<ChildServer>;
  /** Virtual user with the index-th citizen. */
  user(index: number, ports?: Partial<CyclePorts>): Promise<ServiceUser>;
  /** Connection that polls the process with all roles. */
  poller(): Promise<Poller>;
  stop(): Promise<void>;
}

export interface BenchServiceOptions {
  readonly databaseUrl: string;
  /** Number of citizens enrolled in advance, with one phone each. */
  readonly citizens: number;
  /** SVC_* variables that override the bench's own. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The one that an earlier service registered in this database; default: a new one. */
  readonly relyingParty?: BenchRelyingParty;
}

const ENROLLING_AT_ONCE = 16;

/**
 * Starts the service, registers the relying party and enrols the citizens, before any measurement.
 */
export async function startBenchService(
  bench: Bench,
  options: BenchServiceOptions,
): Promise<BenchService> {
  const environment = {
    SVC_PROFILE: 'staging',
    SVC_HOST: '127.0.0.1',
    SVC_PORT: '0',
    SVC_DATA_DIR: join(bench.directory, 'service'),
    SVC_DATABASE_URL: options.databaseUrl,
    SVC_SW_MASTER_KEY: randomBytes(32).toString('base64'),
    SVC_RP_API_BASE: 'http://127.0.0.1',
    SVC_RP_REQUESTS_PER_MINUTE: '100000000',
    SVC_KYC_REQUESTS_PER_MINUTE: '100000000',
    SVC_KYC_UNPROVED_LEVEL: 'QUALIFIED',
    SVC_SIGNING_COOLING_HOURS: '0',
    SVC_PUSHES_PER_MINUTE: '100000000',
    SVC_PUSHES_PER_RELYING_PARTY: '100000000',
    SVC_PUSHES_RUNNING: '0',
    SVC_DOCUMENTS_PER_DAY: '0',
    SVC_DOCUMENT_MEGABYTES_PER_DAY: '0',
    SVC_PDFS_PER_DAY: '0',
    SVC_PDF_MEGABYTES_PER_DAY: '0',
    SVC_PUSH_BACK_OFF: '0',
    SVC_PUSH_BLOCK_HOURS: '0',
    SVC_PKI_POLICY_ARC: '2.999.1',
    SVC_SOLE_PROCESS: 'true',
    SVC_SESSION_WINDOW: '590',
    // The load generator shares the processors; load shedding is not measured here.
    SVC_MAX_CONNECTIONS_PER_ADDRESS: '100000',
    SVC_MAX_EVENT_LOOP_DELAY: '5000',
    ...options.environment,
  };
  const start = (overrides: Readonly<Record<string, string>> = {}) =>
    startChildServer({
      module: new URL('./serviceProcess.js', import.meta.url),
      settings: { environment: { ...environment, ...overrides } },
      env: { UV_THREADPOOL_SIZE: threadPool({ ...environment, ...overrides }) },
    });
  bench.progress('starting the service');
  const main = await start();
  const others: ChildServer[] = [];
  const citizens = Array.from({ length: options.citizens }, (_, index) => benchCitizen(index));
  const csvPath = join(bench.directory, 'citizens.csv');
  await writeFile(csvPath, csvOf(citizens));
  await main.ask('importCivilRegistry', csvPath);
  const relyingParty = options.relyingParty ?? (await registerRelyingParty(main));
  bench.progress(`enrolling ${citizens.length} citizens`);
  const phones = await enrolAll(main.port, citizens);

  return {
    relyingParty,
    main,
    citizens,
    another: async (overrides) => {
      const other = await start(overrides);
      others.push(other);
      return other;
    },
    user: (index, ports) => {
      const citizen = citizens[index];
      const phone = phones[index];
      if (citizen === undefined || phone === undefined)
        throw new Error('The index exceeds the number of enrolled citizens.');
      return connectServiceUser(
        { write: main.port, poll: main.port, ...ports },
        relyingParty,
        citizen,
        phone,
      );
    },
    poller: () => connectPoller(main.port, relyingParty),
    stop: async () => {
      for (const other of others) await other.stop();
      await main.stop();
    },
  };
}

function registerRelyingParty(main: ChildServer): Promise<BenchRelyingParty> {
  return main.ask<BenchRelyingParty>('registerRelyingParty', {
    ...initialRelyingPartySettings,
    name: 'Bench',
    permissions: ['AUTH', 'SIGN'],
  } satisfies RelyingPartySettings);
}

/** Thread pool size, like the launcher's. */
function threadPool(environment: Readonly<Record<string, string>>): string {
  return String(4 + Number(environment['SVC_PKCS11_SESSIONS'] ?? 4));
}

async function enrolAll(port: number, citizens: readonly BenchCitizen[]): Promise<BenchPhone[]> {
  const phones: BenchPhone[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: ENROLLING_AT_ONCE }, async () => {
      const connection = await openHttp({ port });
      while (next < citizens.length) {
        const index = next++;
        const citizen = citizens[index];
        if (citizen !== undefined) phones[index] = await enrolPhone(connection, citizen);
      }
      connection.close();
    }),
  );
  return phones;
}

function benchCitizen(index: number): BenchCitizen {
  return {
    civilId: String(900_000_000_000 + index),
    registrationNumber: `УБ${String(80_000_000 + index)}`,
    cardNumber: `B${String(10_000_000 + index)}`,
    birthDate: '1980-01-01',
  };
}

function csvOf(citizens: readonly BenchCitizen[]): string {
  const header =
    'civilId,registrationNumber,givenName,surname,familyName,givenNameLatin,surnameLatin,birthDate,gender,geId,cardNumber';
  const lines = citizens.map(
    ({ civilId, registrationNumber, cardNumber, birthDate }) =>
      `${civilId},${registrationNumber},Бат,Дорж,Боржигон,Bat,Dorj,${birthDate},M,,${cardNumber}`,
  );
  return `${[header, ...lines].join('\n')}\n`;
}
