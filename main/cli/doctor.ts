import { X509Certificate } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { manifestKeys } from '../composition/backup.ts';
import { openBackupPlace } from '../composition/backupPlaces.ts';
import { join } from 'node:path';
import { withPool } from '../composition/configChecks.ts';
import { newestIn, readManifest } from '../../infrastructure/backup/manifest.ts';
import { generationOf, issuingCas, kindOf } from '../../domain/shared/issuingCas.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { readTlsFiles } from '../../infrastructure/config/tlsFiles.ts';
import { compareClock } from '../../infrastructure/ntp.ts';
import {
  type InstallationState,
  readInstallationState,
} from '../../infrastructure/postgres/installationState.ts';
import { revokedByRoot } from '../../infrastructure/pki/revokedIssuers.ts';
import { createPostgresRevocationLists } from '../../infrastructure/postgres/revocationLists.ts';
import { type Mark, tryConfig, within } from './checkConfig.ts';
import {
  type Finding,
  judgeAuthority,
  judgeBackup,
  judgeCertificate,
  judgeClock,
  judgeDisk,
  judgeDrill,
  judgeInstallation,
  judgeNode,
  judgeRevokedAuthority,
  judgeReadiness,
} from './findings.ts';
import { askReadiness, readinessAddress } from './askReadiness.ts';
import { DRILL_FILE, parseDrillReport } from '../drill/report.ts';
import { formatError } from './formatError.ts';
import { say as sayLine } from './say.ts';

export interface DoctorOptions {
  /** NTP server, host or host:port. */
  readonly ntp: string;
  /** Place of the backups. */
  readonly backup?: string;
  /** One JSON document instead of lines. */
  readonly json?: boolean;
}

const colours: Readonly<Record<Mark, Finding['colour']>> = {
  ok: 'green',
  warns: 'yellow',
  fails: 'red',
};

/**
 * Runs `./tamga doctor`: tries what `check-config` does, looks at the machine and the installation, and changes nothing.
 *
 * @returns exit code: 1 when anything is red
 */
export async function doctor(
  environment: NodeJS.ProcessEnv,
  { ntp, backup, json = false }: DoctorOptions,
  say: (line: string) => void = sayLine,
): Promise<0 | 1> {
  const findings: Finding[] = [];
  const note = (...found: readonly Finding[]) => {
    findings.push(...found);
    if (json) return;
    for (const each of found) say(`${each.colour.padEnd(6)} ${each.about}: ${each.text}`);
  };
  const tell = (mark: Mark, text: string) =>
    note({ colour: colours[mark], about: 'configuration', text });
  const [clock, config] = await Promise.all([compareClock(ntp), tryConfig(environment, tell)]);
  note(judgeNode(process.versions.node), judgeClock(ntp, clock?.offsetMs ?? null));
  if (config !== null) {
    const { noted, findings: found } = await installation(config);
    note(...tlsEnd(config), ...found, ...(await runningService(config)));
    const last =
      backup === undefined ? judgeBackup(noted, new Date()) : await backupIn(config, backup);
    note(...(await disks(config)), last, await lastDrill(config));
  }
  const code = findings.some(({ colour }) => colour === 'red') ? 1 : 0;
  if (json) say(JSON.stringify({ healthy: code === 0, findings }, null, 2));
  return code;
}

async function disks({
  SVC_DATA_DIR: data,
  SVC_FILE_STORE_DIR: files = data,
}: Config): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const path of new Set([process.cwd(), tmpdir(), data, files])) {
    try {
      const { bsize, blocks, bavail } = await within(statfs(path));
      found.push(judgeDisk(path, { all: bsize * blocks, free: bsize * bavail }));
    } catch (error) {
      // A directory that is missing has its line in the configuration.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      found.push({ colour: 'red', about: `disk ${path}`, text: formatError(error) });
    }
  }
  return found;
}

function tlsEnd(config: Config): readonly Finding[] {
  try {
    const { tls } = readTlsFiles(config);
    return tls === undefined ? [] : [certificateEnd('of TLS', tls.cert)];
  } catch {
    // The configuration's own line says why.
    return [];
  }
}

const certificateEnd = (name: string, certificate: Buffer | string) =>
  judgeCertificate(name, new Date(new X509Certificate(certificate).validTo), new Date());

interface Examined {
  /** Moment of the last backup, as the installation knows it. */
  readonly noted: Date | null;
  readonly findings: readonly Finding[];
}

async function installation(config: Config): Promise<Examined> {
  const { SVC_DATABASE_URL: url, SVC_EVENTSTORE_URL: eventStore } = config;
  if (url === undefined) {
    const text =
      'not examined: ./tamga up starts its own. To examine another database, set SVC_DATABASE_URL';
    return { noted: null, findings: [{ colour: 'yellow', about: 'database', text }] };
  }
  try {
    return await withPool(url, async (pool) => {
      const state = await readInstallationState(pool);
      const judged = judgeInstallation(state, eventStore === undefined, new Date());
      if (state === null) return { noted: null, findings: judged };
      const revoked = await revokedByRoot(createPostgresRevocationLists(pool));
      const names = state.authorities.map(({ name }) => name);
      const authorities = state.authorities.map((each) =>
        authority(each, { revoked, names, years: config.SVC_CERTIFICATE_YEARS }),
      );
      return { noted: state.lastBackup, findings: [...judged, ...authorities] };
    });
  } catch (error) {
    const text = `cannot be read: ${formatError(error)}`;
    return { noted: null, findings: [{ colour: 'red', about: 'database', text }] };
  }
}

function authority(
  { name, certificate }: InstallationState['authorities'][number],
  {
    revoked,
    names,
    years,
  }: {
    readonly revoked: Awaited<ReturnType<typeof revokedByRoot>>;
    readonly names: readonly string[];
    readonly years: number;
  },
): Finding {
  const { serialNumber, validTo } = new X509Certificate(certificate);
  const revocation = revoked.get(serialNumber.toLowerCase());
  if (revocation !== undefined) {
    return judgeRevokedAuthority(`of the ${name} CA`, revocation.revokedAt);
  }
  const ca = issuingCas.find((each) => each === name);
  const successor =
    ca === undefined
      ? undefined
      : issuingCas.findLast(
          (each) =>
            names.includes(each) &&
            kindOf(each) === kindOf(ca) &&
            generationOf(each) > generationOf(ca),
        );
  const end = { name, end: new Date(validTo), successor: successor ?? null };
  return judgeAuthority(end, years, new Date());
}

/** Asks the process that these settings are of, where it runs. */
async function runningService(config: Config): Promise<readonly Finding[]> {
  const address = readinessAddress(config);
  if (address === null) return [];
  try {
    return judgeReadiness(address.host, await askReadiness(address));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED') return judgeReadiness(address.host, null);
    const text = `${address.href} does not answer: ${formatError(error)}`;
    return [{ colour: 'red', about: `service ${address.host}`, text }];
  }
}

async function backupIn(config: Config, address: string): Promise<Finding> {
  if (config.SVC_SW_MASTER_KEY === undefined) {
    const text = 'cannot be checked: set SVC_SW_MASTER_KEY, which verifies its manifest';
    return { colour: 'red', about: 'last backup', text };
  }
  try {
    const place = openBackupPlace(config, address);
    const newest = await within(newestIn(place));
    const { madeAt } = await within(
      readManifest(place, newest, await within(manifestKeys(config))),
    );
    return judgeBackup(new Date(madeAt), new Date());
  } catch (error) {
    return { colour: 'red', about: 'last backup', text: formatError(error) };
  }
}

async function lastDrill({ SVC_DATA_DIR: data }: Config): Promise<Finding> {
  const path = join(data, DRILL_FILE);
  try {
    return judgeDrill(parseDrillReport(await within(readFile(path, 'utf8'))), new Date());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return judgeDrill(null, new Date());
    return { colour: 'yellow', about: 'last drill', text: `${path}: ${formatError(error)}` };
  }
}
