import { access, readFile } from 'node:fs/promises';
import { describeExportFault } from '../../application/audit/exportFaults.ts';
import { type ExportVerdict, verifyExport } from '../../application/audit/verifyExport.ts';
import { keysBeside, proofsBeside, readExport } from '../../infrastructure/export/exportFile.ts';
import { pemBlocks } from '../../infrastructure/pki/kernel/pem.ts';
import { openProofFile, parseHead } from '../../infrastructure/export/proofLines.ts';
import { readCertificates } from '../../infrastructure/pki/readCertificates.ts';
import { treeKeysIn } from '../../infrastructure/pki/treeKeyCertificate.ts';

export interface VerifyExportOptions {
  /** Path of the Root CA's certificate, PEM, from a trusted source: its certificates say which keys to trust. */
  readonly root?: string;
  /**
   * Path of a PEM file with keys and certificates; default, with a root: that of the export with `.keys.pem` added.
   * Without a root, the keys in it are trusted as they are.
   */
  readonly key?: string;
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
  await access(path);
  const proofFile = await openProofFile(options.proofs ?? (await ownProofs(path)));
  const known = (options.head ?? []).map(async (file) => parseHead(await readFile(file, 'utf8')));
  return verifyExport({
    lines: () => readExport(path),
    heads: proofFile.heads,
    blocks: () => proofFile.blocks(),
    knownHeads: await Promise.all(known),
    ...(await keysOf(path, options)),
  });
}

/** @throws Error when there are none */
async function ownProofs(path: string): Promise<string> {
  const proofs = proofsBeside(path);
  const isThere = await access(proofs).then(
    () => true,
    () => false,
  );
  if (isThere) return proofs;
  throw new Error(
    `${proofs} is missing: \`audit export ${path}\` writes the proofs there. Name them by --proofs if they are elsewhere.`,
  );
}

/** @throws Error when neither keys nor a root are given, or a file cannot be read */
async function keysOf(path: string, { root, key }: VerifyExportOptions) {
  if (root === undefined && key === undefined) {
    throw new Error(
      'Give --root with the Root CA certificate, or --key with public keys, from a trusted source.',
    );
  }
  const pem = await readFile(key ?? keysBeside(path), 'utf8');
  const publicKeys = pemBlocks(pem, 'PUBLIC KEY');
  if (root === undefined) return { trustedKeys: publicKeys, uncertifiedKeys: [] };
  const [anchor = Buffer.alloc(0)] = readCertificates(root);
  return { trustedKeys: treeKeysIn(pem, anchor), uncertifiedKeys: publicKeys };
}

/** Runs `./tamga audit verify`: prints the result in one line. @returns exit code */
export async function verifyCommand(path: string, options: VerifyExportOptions): Promise<number> {
  const verdict = await verifiedExport(path, options);
  if (verdict === null) return 1;
  const { head, heads, uncertified } = verdict;
  process.stdout.write(
    `Verified: ${head.size} events are exactly those of the tree head signed at ${head.timestamp.toISOString()} ` +
      `(root ${head.root.toString('base64')}, key ${head.keyId}); ${heads} signed ${heads === 1 ? 'head agrees' : 'heads agree'}.\n`,
  );
  if (options.root === undefined) {
    process.stdout.write(
      'The keys were trusted as given. Use --root to have their certificates checked.\n',
    );
  } else if (uncertified > 0) {
    process.stdout.write(
      `${uncertified} of them are signed only with a former key that the Root CA did not certify.\n`,
    );
  }
  return 0;
}

/** Verifies an exported log as {@link verifyExportFile} does. @returns null when it is not good: why stands on standard error */
export async function verifiedExport(path: string, options: VerifyExportOptions) {
  const verdict = await verifyExportFile(path, options);
  if (verdict.ok) return verdict;
  process.stderr.write(`NOT VERIFIED. ${describeExportFault(verdict.fault)}\n`);
  return null;
}
