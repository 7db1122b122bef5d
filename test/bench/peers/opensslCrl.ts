import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RevocationState } from '../../../application/certificate/ports/revocationLists.ts';

const run = promisify(execFile);

/** `openssl ca -gencrl` over the same entries, as lines of its index. */
export interface OpensslCrl {
  /** Time of a run of the program, ms, the CRL written to a file. */
  generate(): Promise<number>;
}

/** @param states all final */
export async function prepareOpensslCrl(
  parent: string,
  states: Iterable<RevocationState>,
): Promise<OpensslCrl> {
  const directory = join(parent, 'openssl-crl');
  const path = (name: string) => join(directory, name);
  await mkdir(directory, { recursive: true });
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-days', '30', '-subj', '/CN=Bench CA', '-keyout', path('key'), '-out', path('cert')],
  ]);
  await writeFile(path('index'), indexOf(states));
  await writeFile(path('number'), '01\n');
  await writeFile(
    path('config'),
    [
      ...['[ca]', 'default_ca = bench', '[bench]', `database = ${path('index')}`],
      ...[`crlnumber = ${path('number')}`, `certificate = ${path('cert')}`],
      ...[`private_key = ${path('key')}`, 'default_md = sha256', 'default_crl_days = 1'],
      ...['crl_extensions = extensions', '[extensions]', 'authorityKeyIdentifier = keyid', ''],
    ].join('\n'),
  );
  return {
    async generate() {
      const started = performance.now();
      await run('openssl', ['ca', '-gencrl', '-config', path('config'), '-out', path('list')]);
      return performance.now() - started;
    },
  };
}

function indexOf(states: Iterable<RevocationState>): string {
  const lines: string[] = [];
  for (const { serial, revokedAt } of states) {
    const at = `${revokedAt.slice(2, 19).replaceAll(/[-T:]/g, '')}Z`;
    lines.push(`R\t360101000000Z\t${at},keyCompromise\t${serial.toUpperCase()}\tunknown\t/CN=x\n`);
  }
  return lines.join('');
}
