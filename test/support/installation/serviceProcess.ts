import { type ServiceProcess, serviceProcess } from '../../../main/drill/serviceProcess.ts';
import { freePort } from '../../../main/drill/freePort.ts';
import { compileCache, tamgaProgram } from '../programs/tamgaProgram.ts';

/** Variables of the environment, `SVC_*` and others. */
export type Settings = Readonly<Record<string, string>>;

export type { ServiceProcess };

/** A fixed master key, so that what was sealed can be read after a restart. */
export const masterKey = Buffer.alloc(32, 7).toString('base64');

/** Signs the tokens of operators in every test service. */
export const operatorTokenSecret = 'a secret of the tests alone';

/** With `./tamga test --eventstore`, the servers that keep the log of every test service. */
export const eventStoreUrl = process.env['TAMGA_TEST_EVENTSTORE_URL'];

/** Settings without limits on pushes: tests ask the same citizens again and again. */
const unlimitedPushes = {
  SVC_PUSHES_PER_MINUTE: '1000000',
  SVC_PUSHES_PER_RELYING_PARTY: '1000000',
  SVC_PUSHES_RUNNING: '0',
  SVC_PUSH_BACK_OFF: '0',
  SVC_PUSH_BLOCK_HOURS: '0',
};

/** The default limits of pushes, for tests of them and of outages. */
export const defaultPushes: Settings = Object.fromEntries(
  Object.keys(unlimitedPushes).map((name) => [name, '']),
);

/** Settings of every test service. */
export function commonSettings(): Settings {
  return {
    NODE_COMPILE_CACHE: compileCache(),
    ...(eventStoreUrl !== undefined && { SVC_EVENTSTORE_URL: eventStoreUrl }),
    SVC_PROFILE: 'development',
    SVC_SW_MASTER_KEY: masterKey,
    SVC_LOG_LEVEL: 'error',
    SVC_RP_REQUESTS_PER_MINUTE: '1000000',
    SVC_KYC_REQUESTS_PER_MINUTE: '1000000',
    SVC_ORG_LINKS_PER_MINUTE: '1000000',
    ...unlimitedPushes,
    SVC_ADMIN_ATTEMPTS_PER_ADDRESS: '1000000',
    // Costs of a hash have tests of their own.
    SVC_ADMIN_PASSWORD_COST: '4',
    SVC_ADMIN_TOKEN_SECRET: operatorTokenSecret,
    // Opening a connection costs PostgreSQL tens of milliseconds of processor time; budgets have tests of their own.
    SVC_DATABASE_POOL: '3',
    // Audit and metrics count only what the test did.
    SVC_AI_SEED_KNOWLEDGE: 'false',
    // Load of the machine must not decide a test; load shedding has tests of its own.
    SVC_MAX_EVENT_LOOP_DELAY: '30000',
  };
}

/**
 * `tamga serve` with these settings; nothing runs before `launch` or `start`.
 *
 * @param at where it listens, such as where one with other settings did; default: on a free port
 * @param command of `tamga`, with its arguments
 * @param program path of the command line; default: this build's
 */
export async function createServiceProcess(
  settings: Settings,
  at?: string,
  command: readonly string[] = ['serve'],
  program: string = tamgaProgram(),
): Promise<ServiceProcess> {
  const port = at === undefined ? await freePort() : Number(new URL(at).port);
  const origin = `http://127.0.0.1:${port}`;
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  const environment = {
    ...Object.fromEntries(inherited),
    ...commonSettings(),
    ...settings,
    SVC_PORT: String(port),
  };
  return serviceProcess({ origin, environment, program, command });
}
