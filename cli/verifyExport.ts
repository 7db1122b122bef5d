import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describeExportFault } from '../application/audit/exportFaults.ts';
import { type ExportVerdict, verifyExport } from '../application/audit/verifyExport.ts';
import { readExport } from '../infrastructure/export/exportFile.ts';
import { openProofFile, parseHead } from '../infrastructure/export/proofLines.ts';

export interface VerifyExportOptions {
  /** Path of a PEM file with one or more public keys. */
  readonly key: string;
  /** Path of the proofs; default: that of the export with `.proofs` added. */
  readonly proofs?: string;
  /** Files of tree heads obtained elsewhere. */
  readonly head?: readonly string[];
}

/** Verifies an exported log from files only. @throws Error when one of them cannot be read */
export async function verifyExportFile(
  path: string,
  options: VerifyExportOptions,
): Promise<ExportVerdict> {
  const proofFile = await openProofFile(options.proofs ?? proofsBeside(path));
  const known = (options.head ?? []).map(async (file) => parseHead(await readFile(file, 'utf8')));
  return verifyExport({
    lines: () => readExport(path),
    heads: proofFile.heads,
    versionTwoFrom: proofFile.versionTwoFrom,
    blocks: () => proofFile.blocks(),
    knownHeads: await Promise.all(known),
    publicKeys: publicKeysIn(await readFile(options.key, 'utf8')),
  });
}

/** Path of the proofs of an export. */
export function proofsBeside(path: string): string {
  return `${path}.proofs`;
}

/** Runs `./tamga audit verify`: prints the result in one line. @returns exit code */
export async function verifyCommand(path: string, options: VerifyExportOptions): Promise<number> {
  const verdict = await verifyExportFile(path, options);
  if (!verdict.ok) {
    process.stderr.write(`NOT VERIFIED. ${describeExportFault(verdict.fault)}\n`);
    return 1;
  }
  const { head, heads } = verdict;
  process.stdout.write(
    `Verified: ${head.size} events are exactly those of the tree head signed at ${head.timestamp.toISOString()} ` +
      `(root ${head.root.toString('base64')}, key ${head.keyId}); ${heads} signed ${heads === 1 ? 'head agrees' : 'heads agree'}.\n`,
  );
  return 0;
}

/** @throws Error when there is none */
function publicKeysIn(pem: string): readonly Buffer[] {
  const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g);
  if (blocks === null) throw new Error('The key file holds no public key in PEM.');
  return blocks.map((block) => createPublicKey(block).export({ type: 'spki', format: 'der' }));
}
