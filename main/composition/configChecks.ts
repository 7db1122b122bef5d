import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Unavailable } from '../../application/ports/faults.ts';
import { reachedAt } from '../../domain/shared/hosts.ts';
import { readMasterKeys } from '../../infrastructure/codec/postgresMasterKeys.ts';
import { soleWrappingKey } from '../../infrastructure/codec/wrappingKeys.ts';
import { type Config, portsOf } from '../../infrastructure/config/config.ts';
import { isConsoleAlone } from '../../infrastructure/config/consoleSettings.ts';
import { readLogo } from '../../infrastructure/config/logoFile.ts';
import { readTlsFiles } from '../../infrastructure/config/tlsFiles.ts';
import { createEventStoreDbEventLog } from '../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { openKeyVault } from '../../infrastructure/hsm/openKeyVault.ts';
import { readCountryAuthorities } from '../../infrastructure/passport/countryAuthorities.ts';
import { revocationFileFaults } from '../../infrastructure/passport/countryRevocations.ts';
import {
  expectNoRootKeyIn,
  expectRootCertificate,
} from '../../infrastructure/pki/offlineRootRule.ts';
import { createPostgresCaCertificates } from '../../infrastructure/postgres/caCertificates.ts';
import { createPostgresEncryptedKeys } from '../../infrastructure/hsm/postgresEncryptedKeys.ts';
import { anchorFiles } from './trustAnchors.ts';
import { keepsRootOffline } from './keys.ts';
import { givenMasterKeys } from './stores.ts';
import { readCertificates, readTrustAnchors } from '../../infrastructure/pki/readCertificates.ts';
import { createEcdsaDigestPool } from '../../infrastructure/pki/ecdsaDigestPool.ts';
import {
  connectionBudget,
  connectionsInAll,
} from '../../infrastructure/postgres/connectionBudget.ts';
import { assertKnownSchema } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { readServerState, startFaults } from '../../infrastructure/postgres/serverState.ts';
import { UnsafeServer } from '../../infrastructure/postgres/serverWatch.ts';
import { checkRedis } from '../../infrastructure/redis/checkRedis.ts';
import { systemClock } from '../../infrastructure/system.ts';

/** One thing the configuration names, tried as it would be used. */
export interface ConfigCheck {
  /** Settings concerned. */
  readonly settings: string;
  /**
   * @returns faults that the profile tolerates
   * @throws Error when the dependency does not work
   */
  readonly run: () => Promise<readonly string[]>;
}

/** Checks of the configured dependencies; they change, start and migrate nothing. */
export function configChecks(config: Config): readonly ConfigCheck[] {
  const own = [
    ...tlsChecks(config),
    ...logoCheck(config),
    hostCheck(config),
    ...portChecks(config),
  ];
  return isConsoleAlone(config)
    ? own
    : [
        ...own,
        ...fileChecks(config),
        ...databaseChecks(config),
        ...eventStoreChecks(config),
        ...tokenChecks(config),
        ...redisChecks(config),
      ];
}

/** A check that fails by throwing. */
function check(settings: string, attempt: () => unknown): ConfigCheck {
  return {
    settings,
    run: async () => {
      await attempt();
      return [];
    },
  };
}

function tlsChecks(config: Config): readonly ConfigCheck[] {
  if (config.SVC_TLS_CERT === undefined) return [];
  return [
    check('SVC_TLS_CERT, SVC_TLS_KEY, SVC_TLS_CLIENT_CA', () => {
      const { cert, key, clientCa } = readTlsFiles(config).tls ?? {};
      try {
        createSecureContext({ cert, key, ca: clientCa });
      } catch (error) {
        throw isOfAnotherKey(error)
          ? new Error('The key in SVC_TLS_KEY does not belong to the certificate in SVC_TLS_CERT.')
          : error;
      }
    }),
  ];
}

const isOfAnotherKey = (error: unknown) =>
  (error as { readonly code?: unknown }).code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH';

function logoCheck(config: Config): readonly ConfigCheck[] {
  if (config.SVC_BRAND_LOGO === undefined) return [];
  return [check('SVC_BRAND_LOGO', () => readLogo(config))];
}

/** Listens on a free port: the configured ones may be in use by the process that is to be restarted. */
function hostCheck({ SVC_HOST: { name: host } }: Config): ConfigCheck {
  return check(
    'SVC_HOST',
    () =>
      new Promise<void>((resolve, reject) => {
        const server = createServer();
        server.once('error', reject);
        server.listen(0, host, () => server.close(() => resolve()));
      }),
  );
}

/** Ports that something answers at already. */
function portChecks(config: Config): readonly ConfigCheck[] {
  const host = reachedAt(config.SVC_HOST).name;
  return portsOf(config).map(([settings, port]) => ({
    settings,
    run: async () =>
      (await answers(host, port))
        ? [
            `port ${port} is in use; correct if the process that you restart uses it (ss -ltnp shows which one)`,
          ]
        : [],
  }));
}

/** True when a connection is accepted; opens no port. */
function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2000 });
    const settle = (isOpen: boolean) => () => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', settle(true));
    socket.once('error', settle(false));
    socket.once('timeout', settle(false));
  });
}

function fileChecks(config: Config): readonly ConfigCheck[] {
  const checks: ConfigCheck[] = [];
  for (const name of ['SVC_TSA_CA', 'SVC_KYC_GSIGN_TRUST'] as const) {
    const path = config[name];
    if (path === undefined) continue;
    const read = () => readTrustAnchors(path, anchorFiles[name]).faults;
    const run = () => Promise.resolve().then(read);
    checks.push({ settings: name, run });
  }
  const { SVC_HSMPROXY_ORG_ISSUING_CERT: issuing } = config;
  if (issuing !== undefined) {
    checks.push(check('SVC_HSMPROXY_ORG_ISSUING_CERT', () => readCertificates(issuing)));
  }
  const { SVC_PKCS11_MODULE: module, SVC_FILE_STORE_DIR: directory } = config;
  if (module !== undefined) {
    checks.push(check('SVC_PKCS11_MODULE', () => access(module, constants.R_OK)));
  }
  if (directory !== undefined) checks.push(check('SVC_FILE_STORE_DIR', () => writable(directory)));
  return [...checks, ...passportChecks(config)];
}

function passportChecks({
  SVC_KYC_PASSPORT_CSCA: trusted,
  SVC_KYC_PASSPORT_CRL: revoked,
}: Config): readonly ConfigCheck[] {
  if (trusted === undefined) return [];
  const authorities = async () => readCountryAuthorities(await readFile(trusted));
  const trust: ConfigCheck = {
    settings: 'SVC_KYC_PASSPORT_CSCA',
    run: async () => {
      const { unreadable } = await authorities();
      return unreadable === 0 ? [] : [`${unreadable} of its certificates cannot be read`];
    },
  };
  if (revoked === undefined) return [trust];
  const lists: ConfigCheck = {
    settings: 'SVC_KYC_PASSPORT_CRL',
    run: async () => {
      // Without its authorities, whose own line says why, each list would be a stranger's.
      const certificates = await authorities().then(
        (read) => read.certificates,
        () => null,
      );
      return revocationFileFaults(revoked, certificates, systemClock.now());
    },
  };
  return [trust, lists];
}

async function writable(directory: string): Promise<void> {
  if (!(await stat(directory)).isDirectory()) throw new Error(`${directory} is not a directory.`);
  await access(directory, constants.W_OK);
}

function databaseChecks(config: Config): readonly ConfigCheck[] {
  const { SVC_DATABASE_URL: url } = config;
  if (url === undefined) return [];
  const connections = connectionsInAll(connectionBudget(config));
  return [
    {
      settings: 'SVC_DATABASE_URL',
      run: () =>
        withPool(url, async (pool) => {
          const { applied, newer } = await assertKnownSchema(createDatabase(pool));
          if (applied.length > 0 && config.SVC_SW_MASTER_KEY !== undefined) {
            await readMasterKeys(pool, await givenMasterKeys(config));
          }
          const faults = startFaults(await readServerState(pool, systemClock), connections - 1);
          if (config.SVC_PROFILE === 'production' && faults.length > 0)
            throw new UnsafeServer(faults);
          return newer.length === 0 ? faults : [...faults, remarkOn(newer)];
        }),
    },
    ...(keepsRootOffline(config)
      ? [check('SVC_ROOT_KEY_ONLINE', () => withPool(url, expectOfflineRoot))]
      : []),
  ];
}

const remarkOn = (newer: readonly string[]) =>
  `a newer release migrated the database (${newer.join(', ')}); this release runs on it until you run ./tamga upgrade finish`;

/** @throws Misconfigured when production has the root's key in its database, or no root */
async function expectOfflineRoot(pool: ReturnType<typeof createPool>): Promise<void> {
  if ((await assertKnownSchema(createDatabase(pool))).applied.length === 0) return;
  const { find } = createPostgresEncryptedKeys(pool);
  await expectNoRootKeyIn([{ findKey: find }]);
  await expectRootCertificate(createPostgresCaCertificates(pool));
}

/** Lends one connection of its own and closes it. */
export async function withPool<Result>(
  url: string,
  work: (pool: ReturnType<typeof createPool>) => Promise<Result>,
): Promise<Result> {
  const pool = createPool({ url, max: 1, queryTimeoutMs: 5000 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

function eventStoreChecks(config: Config): readonly ConfigCheck[] {
  return (['SVC_EVENTSTORE_URL', 'SVC_EVENTSTORE_ARCHIVE_URL'] as const).flatMap((name) => {
    const url = config[name];
    if (url === undefined) return [];
    return check(name, async () => {
      const log = createEventStoreDbEventLog({ url });
      try {
        await log.start();
        await log.head();
      } finally {
        await log.stop();
      }
    });
  });
}

function tokenChecks(config: Config): readonly ConfigCheck[] {
  if (config.SVC_PKCS11_MODULE === undefined) return [];
  return [
    check('SVC_PKCS11_MODULE, SVC_PKCS11_TOKEN, SVC_PKCS11_PIN', async () => {
      const ecdsaDigests = createEcdsaDigestPool();
      const [masterKey] = await givenMasterKeys(config);
      // The check of a token reads no key, so the pool opens no connection.
      const pool = createPool({ url: config.SVC_DATABASE_URL ?? '', max: 1 });
      const vault = openKeyVault(config, {
        pool,
        wrapping: soleWrappingKey(masterKey),
        ecdsaDigests,
      });
      try {
        await vault.keyVault.check();
        if (keepsRootOffline(config)) await expectNoRootKeyIn([vault.keyVault]);
      } finally {
        await vault.stop();
        await ecdsaDigests.stop();
        await pool.end();
      }
    }),
  ];
}

function redisChecks({ SVC_REDIS_URL: url }: Config): readonly ConfigCheck[] {
  return url === undefined ? [] : [check('SVC_REDIS_URL', () => checkRedis(url))];
}

/** The cause of an outage, which its own message does not say. */
export function causeOf(error: unknown): unknown {
  return error instanceof Unavailable && error.cause instanceof Error ? error.cause : error;
}
