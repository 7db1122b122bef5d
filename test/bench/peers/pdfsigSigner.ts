import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Signs PDFs with programs: `pdfsig -add-signature`, then `openssl ts -reply` for the timestamp it
 * lacks.
 */
export interface PdfsigSigner {
  /** @returns duration, ms */
  sign(document: string): Promise<number>;
}

const openSslConfig = (directory: string) => `
[tsa]
default_tsa = own
[own]
serial = ${join(directory, 'serial')}
signer_cert = ${join(directory, 'tsa.pem')}
signer_key = ${join(directory, 'tsa.key')}
default_policy = 2.999.1
digests = sha256
signer_digest = sha256
accuracy = secs:1
`;

/** Generates keys for both programs in a directory; null where one is not installed. */
export async function preparePdfsigSigner(directory: string): Promise<PdfsigSigner | null> {
  const needed = ['pdfsig', 'certutil', 'pk12util', 'openssl'];
  if (needed.some((program) => spawnSync('which', [program]).status !== 0)) return null;
  const at = (name: string) => join(directory, name);
  const openssl = (...parameters: readonly string[]) => run('openssl', parameters);
  await writeFile(at('ts.cnf'), openSslConfig(directory));
  await writeFile(at('serial'), '01');
  const selfSigned = ['req', '-x509', '-nodes', '-days', '2'];
  await openssl(
    ...[...selfSigned, '-newkey', 'rsa:2048', '-subj', '/CN=Signer'],
    ...['-keyout', at('signer.key'), '-out', at('signer.pem')],
  );
  await openssl(
    ...[...selfSigned, '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-subj', '/CN=TSA'],
    ...['-addext', 'extendedKeyUsage=critical,timeStamping'],
    ...['-keyout', at('tsa.key'), '-out', at('tsa.pem')],
  );
  await openssl(
    ...['pkcs12', '-export', '-inkey', at('signer.key'), '-in', at('signer.pem')],
    ...['-name', 'signer', '-passout', 'pass:', '-out', at('signer.p12')],
  );
  const database = `sql:${directory}`;
  await run('certutil', ['-N', '-d', database, '--empty-password']);
  await run('pk12util', ['-i', at('signer.p12'), '-d', database, '-W', '']);
  await writeFile(at('data'), 'a signature value');
  await openssl('ts', '-query', '-data', at('data'), '-sha256', '-cert', '-out', at('query.tsq'));

  return {
    async sign(document) {
      const started = performance.now();
      await run('pdfsig', [
        ...['-nssdir', database, '-add-signature', '-nick', 'signer', document, at('signed.pdf')],
      ]);
      await openssl(
        ...['ts', '-reply', '-config', at('ts.cnf')],
        ...['-queryfile', at('query.tsq'), '-out', at('reply.tsr')],
      );
      return performance.now() - started;
    },
  };
}
