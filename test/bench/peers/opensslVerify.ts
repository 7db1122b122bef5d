import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** `openssl verify` over many certificates in one call; null where not installed. */
export async function prepareOpensslVerify(
  directory: string,
  certificates: {
    readonly root: Buffer;
    readonly issuing: Buffer;
    readonly leaves: readonly Buffer[];
  },
): Promise<(() => Promise<number>) | null> {
  if (spawnSync('openssl', ['version']).error !== undefined) return null;
  const write = async (name: string, der: Buffer) => {
    const path = join(directory, name);
    await writeFile(path, pemOf(der));
    return path;
  };
  const root = await write('root.pem', certificates.root);
  const issuing = await write('issuing.pem', certificates.issuing);
  const leaves = await Promise.all(
    certificates.leaves.map((leaf, index) => write(`leaf-${index}.pem`, leaf)),
  );
  // `times` prints the processor time of the shell's children.
  const script = 'openssl verify -CAfile "$0" -untrusted "$1" "$@" >/dev/null && times';
  return async () => {
    const { stdout } = await run('sh', ['-c', script, root, issuing, ...leaves]);
    const [, children = ''] = stdout.trim().split('\n');
    const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
      ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
    );
    return (leaves.length + 1) / seconds.reduce((sum, part) => sum + part, 0);
  };
}

/** Converts a certificate to PEM. */
export function pemOf(der: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
}
