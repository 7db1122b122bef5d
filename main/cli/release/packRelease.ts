import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { provenanceOf } from './provenance.ts';
import { reproducibleBom } from './softwareBom.ts';

const execute = promisify(execFile);

/** Files of the archive beside `dist`: those that the image has, and what installs its packages. */
const packedFiles = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'infrastructure/pdf/fonts',
  'infrastructure/pdf/template',
  'infrastructure/assistant/articles',
] as const;

/** Parts of `dist` that only developers use. */
const unpacked = ['test', '.tsbuildinfo'] as const;

/** Files of a release. */
export interface PackedRelease {
  readonly directory: string;
  /** SHA-256 of each file, by its name. */
  readonly digests: ReadonlyMap<string, string>;
}

/**
 * Builds a commit in a folder of its own and packs it: archive, bill of materials, provenance, check sums. Two calls for
 * one commit make the same bytes: order, times, owners and modes in the archive are fixed.
 *
 * @param directory new or empty
 * @param commit of this repository
 * @param sourceDate seconds since the epoch, of everything in the archive; default: the commit's
 * @throws Error when the directory holds something, other packages are installed here, or the build fails
 */
export async function packRelease(
  directory: string,
  commit: string,
  sourceDate?: string,
): Promise<PackedRelease> {
  await mkdir(directory, { recursive: true });
  if ((await readdir(directory)).length > 0) {
    throw new Error(`${directory} is not empty. Name a new directory with --to.`);
  }
  const gitCommit = (await git('rev-parse', '--verify', `${commit}^{commit}`)).trim();
  const epoch = sourceDate ?? (await git('log', '-1', '--format=%ct', gitCommit)).trim();
  const folder = await mkdtemp(join(tmpdir(), 'tamga-release-'));
  try {
    const source = join(folder, 'source');
    await checkOut(gitCommit, source);
    const lock = await readFile(join(source, 'package-lock.json'));
    if (!lock.equals(await readFile('package-lock.json'))) {
      throw new Error(`Check out ${commit}: the packages installed here belong to another commit.`);
    }
    const { name, version } = JSON.parse(
      await readFile(join(source, 'package.json'), 'utf8'),
    ) as Readonly<Record<'name' | 'version', string>>;
    const packed = `${name}-${version}`;
    await run('npm', ['run', '-s', 'build'], { cwd: source, epoch });
    await gather(source, join(folder, packed));
    const archive = `${packed}.tar.gz`;
    await pack(folder, { packed, into: join(resolve(directory), archive), epoch });
    const { stdout: bom } = await run(
      'npm',
      ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'],
      { cwd: source, epoch },
    );
    const bomFile = `${packed}.cdx.json`;
    await writeFile(
      join(directory, bomFile),
      reproducibleBom(bom, { name, at: new Date(Number(epoch) * 1000) }),
    );
    const made = await digestsOf(directory, [archive, bomFile]);
    const provenance = `${packed}.provenance.json`;
    await writeFile(
      join(directory, provenance),
      provenanceOf(made, { gitCommit, lockSha256: sha256(lock), sourceDate: epoch }),
    );
    const digests = await digestsOf(directory, [archive, bomFile, provenance]);
    await writeFile(
      join(directory, 'SHA256SUMS'),
      Array.from(digests, ([file, digest]) => `${digest}  ${file}\n`).join(''),
    );
    return { directory, digests };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

async function digestsOf(
  directory: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  for (const name of names) digests.set(name, sha256(await readFile(join(directory, name))));
  return digests;
}

/** Writes the files of the commit, and nothing that is beside them here, but for the packages. */
async function checkOut(commit: string, source: string): Promise<void> {
  await mkdir(source, { recursive: true });
  const archive = join(source, 'source.tar');
  await git('archive', '--format=tar', '-o', archive, commit);
  await execute('tar', ['-xf', archive, '-C', source]);
  await rm(archive);
  await symlink(resolve('node_modules'), join(source, 'node_modules'));
}

async function gather(source: string, target: string): Promise<void> {
  for (const name of packedFiles) {
    await cp(join(source, name), join(target, name), { recursive: true });
  }
  await cp(join(source, 'dist'), join(target, 'dist'), { recursive: true });
  for (const name of unpacked) {
    await rm(join(target, 'dist', name), { recursive: true, force: true });
  }
}

async function pack(
  folder: string,
  {
    packed,
    into,
    epoch,
  }: { readonly packed: string; readonly into: string; readonly epoch: string },
): Promise<void> {
  const tar = join(folder, 'packed.tar');
  await execute(
    'tar',
    [
      ...['--format=gnu', '--sort=name', `--mtime=@${epoch}`],
      ...['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'],
      ...['-cf', tar, '-C', folder, packed],
    ],
    { env: { ...process.env, LC_ALL: 'C' } },
  );
  // Without name and time of the file.
  await execute('gzip', ['-9', '-n', tar]);
  await cp(`${tar}.gz`, into);
}

async function git(...parameters: readonly string[]): Promise<string> {
  return (await execute('git', parameters)).stdout;
}

async function run(
  command: string,
  parameters: readonly string[],
  { cwd, epoch }: { readonly cwd: string; readonly epoch: string },
): Promise<{ readonly stdout: string }> {
  const env = { ...process.env, SOURCE_DATE_EPOCH: epoch, TZ: 'UTC', LC_ALL: 'C' };
  return execute(command, parameters, { cwd, env, maxBuffer: 1 << 28 });
}
