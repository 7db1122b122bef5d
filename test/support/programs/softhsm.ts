import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const modulePaths = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/softhsm/libsofthsm2.so',
];

/** Path of the SoftHSM2 module; `null` when it is not installed. */
export const softHsmModule = modulePaths.find((path) => existsSync(path)) ?? null;

export interface TemporaryToken {
  readonly modulePath: string;
  readonly tokenLabel: string;
  readonly pin: string;
  readonly configuration: string;
  /** A configuration whose token directory is empty: the token is unavailable. */
  readonly emptyConfiguration: string;
  /** Moves the token's files away, for every process that uses it. */
  takeAway(): Promise<void>;
  bringBack(): Promise<void>;
  remove(): Promise<void>;
}

/** Initialises a token of its own in a temporary directory and points SOFTHSM2_CONF of this process to it. */
export async function createTemporaryToken(modulePath: string): Promise<TemporaryToken> {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-softhsm-'));
  const configure = async (name: string) => {
    const tokens = join(directory, name);
    await mkdir(tokens);
    const file = join(directory, `${name}.conf`);
    await writeFile(
      file,
      `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`,
    );
    return file;
  };
  const configuration = await configure('tokens');
  const emptyConfiguration = await configure('empty');
  const tokenLabel = 'tamga-test';
  const pin = '123456';
  await run(
    'softhsm2-util',
    [
      '--init-token',
      '--free',
      '--label',
      tokenLabel,
      '--pin',
      pin,
      '--so-pin',
      '12345678',
      '--module',
      modulePath,
    ],
    { env: { ...process.env, SOFTHSM2_CONF: configuration } },
  );
  const before = process.env['SOFTHSM2_CONF'];
  process.env['SOFTHSM2_CONF'] = configuration;
  return {
    modulePath,
    tokenLabel,
    pin,
    configuration,
    emptyConfiguration,
    takeAway: () => rename(join(directory, 'tokens'), join(directory, 'away')),
    bringBack: () => rename(join(directory, 'away'), join(directory, 'tokens')),
    async remove() {
      if (before === undefined) delete process.env['SOFTHSM2_CONF'];
      else process.env['SOFTHSM2_CONF'] = before;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
