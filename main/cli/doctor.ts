import { X509Certificate } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { openBackupPlace } from '../composition/backupPlaces.ts';
import { withPool } from '../composition/configChecks.ts';
import { givenMasterKeys } from '../composition/stores.ts';
import { newestIn, readManifest } from '../../infrastructure/backup/manifest.ts';
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
  drillFinding,
  type Finding,
  judgeBackup,
  judgeCertificate,
  judgeClock,
  judgeDisk,
  judgeInstallation,
  judgeNode,
  judgeRevokedAuthority,
} from './findings.ts';
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
    note(...tlsEnd(config), ...(await installation(config)));
    note(...(await disks(config)), await lastBackup(config, backup), drillFinding);
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

async function installation(config: Config): Promise<readonly Finding[]> {
  const { SVC_DATABASE_URL: url, SVC_EVENTSTORE_URL: eventStore } = config;
  if (url === undefined) {
    const text =
      'that of ./tamga up, which only it starts, is not examined; for another one set SVC_DATABASE_URL';
    return [{ colour: 'yellow', about: 'database', text }];
  }
  try {
    return await withPool(url, async (pool) => {
      const state = await readInstallationState(pool);
      const judged = judgeInstallation(state, eventStore === undefined, new Date());
      if (state === null) return judged;
      const revoked = await revokedByRoot(createPostgresRevocationLists(pool));
      return [...judged, ...state.authorities.map((each) => authority(each, revoked))];
    });
  } catch (error) {
    const text = `cannot be read: ${formatError(error)}`;
    return [{ colour: 'red', about: 'database', text }];
  }
}

function authority(
  { name, certificate }: InstallationState['authorities'][number],
  revoked: Awaited<ReturnType<typeof revokedByRoot>>,
): Finding {
  const about = `of the ${name} CA`;
  const { serialNumber } = new X509Certificate(certificate);
  const revocation = revoked.get(serialNumber.toLowerCase());
  return revocation === undefined
    ? certificateEnd(about, certificate)
    : judgeRevokedAuthority(about, revocation.revokedAt);
}

async function lastBackup(config: Config, address: string | undefined): Promise<Finding> {
  if (address === undefined) return judgeBackup(null, new Date());
  if (config.SVC_SW_MASTER_KEY === undefined) {
    const text = 'cannot be checked: set SVC_SW_MASTER_KEY, whose keys its manifest is proved by';
    return { colour: 'red', about: 'last backup', text };
  }
  try {
    const place = openBackupPlace(config, address);
    const newest = await within(newestIn(place));
    const { madeAt } = await within(readManifest(place, newest, await givenMasterKeys(config)));
    return judgeBackup(new Date(madeAt), new Date());
  } catch (error) {
    return { colour: 'red', about: 'last backup', text: formatError(error) };
  }
}
