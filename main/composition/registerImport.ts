import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type pg from 'pg';
import type { ImportUpload } from '../../application/approval/ports/registerUploads.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import {
  type ImportCounts,
  type ImportDependencies,
  type ImportedRegister,
  type ImportReport,
  importRegister,
} from '../../application/registerImport/importRegister.ts';
import type {
  AloneIn,
  WritableRegister,
} from '../../application/registerImport/ports/writableRegister.ts';
import type { CivilRecord } from '../../application/ports/civilRegistry.ts';
import type { RegisterName } from '../../domain/registerImport/events.ts';
import { createAdvisoryLock } from '../../infrastructure/postgres/advisoryLock.ts';
import { readCivilRecords } from '../../infrastructure/registry/civilRecordLines.ts';
import { readOrganizations } from '../../infrastructure/registry/organizationLines.ts';
import type { OrganizationEntry } from '../../infrastructure/registry/postgresOrganizationRegistry.ts';
import { type FileFormat, fileFormats } from '../../infrastructure/registry/registerLines.ts';

export interface ImportOptions {
  /** Default: by the ending of the file's name. */
  readonly format?: FileFormat | undefined;
  /** Compares only, and writes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
  readonly onProgress?: ((soFar: ImportCounts) => void) | undefined;
}

/**
 * Imports a file into a register of this installation.
 *
 * @throws Error when the file cannot be read, its format is not known, or another import into the register runs
 * @throws Unavailable
 */
export type ImportRegister = (
  register: RegisterName,
  path: string,
  options?: ImportOptions,
) => Promise<ImportReport>;

export interface RegisterImportDependencies extends ImportDependencies {
  readonly civilRegistry: WritableRegister<CivilRecord>;
  readonly organizationRegistry: WritableRegister<OrganizationEntry>;
}

/** Lets one process at a time import into a register. */
export const aloneInRegister = (pool: pg.Pool): AloneIn =>
  createAdvisoryLock(
    pool,
    () => new Error('Another import into this register is running. Wait until it ends.'),
  );

/** A file's bytes with what is known of them. */
interface Source {
  readonly digest: string;
  readonly format: FileFormat;
  readonly pieces: AsyncIterable<Buffer>;
}

/** Imports of a file by its path, and of one that an operator uploaded. */
export interface RegisterImports {
  readonly importFile: (context: () => CommandContext) => ImportRegister;
  readonly importUpload: ImportUpload;
}

/** Imports files into the registers. */
export function composeRegisterImports(dependencies: RegisterImportDependencies): RegisterImports {
  const civil: ImportedRegister<CivilRecord> = {
    name: 'civil',
    store: dependencies.civilRegistry,
    unique: {
      civilId: ({ civilId }) => Number(civilId),
      registrationNumber: ({ identity }) => packedNumber(identity.registrationNumber),
    },
    imported: ({ civilId }, record) => ({
      type: 'CivilRecordImported',
      data: { civilId, ...record },
    }),
  };
  const organizations: ImportedRegister<OrganizationEntry> = {
    name: 'organizations',
    store: dependencies.organizationRegistry,
    unique: { register: ({ register }) => register },
    imported: ({ register }, record) => ({
      type: 'OrganizationRecordImported',
      data: { register, ...record },
    }),
  };
  function importSource(
    register: RegisterName,
    { digest, format, pieces }: Source,
    { dryRun = false, onProgress }: Omit<ImportOptions, 'format'>,
    context: CommandContext,
  ): Promise<ImportReport> {
    const wish = { digest, dryRun, onProgress };
    if (register === 'civil') {
      const lines = readCivilRecords(pieces, format);
      return importRegister(dependencies, { ...wish, register: civil, lines }, context);
    }
    const lines = readOrganizations(pieces, format);
    return importRegister(dependencies, { ...wish, register: organizations, lines }, context);
  }

  return {
    importFile:
      (context) =>
      async (register, path, { format = formatOf(path), ...options } = {}) => {
        // Read twice, for the digest and for the records, which a pipe cannot be.
        if (!(await stat(path)).isFile())
          throw new Error(`${path} is not a file. Write the data to a file first.`);
        const source = { digest: await digestOf(path), format, pieces: piecesOf(path) };
        return importSource(register, source, options, context());
      },
    importUpload: ({ register, digest, format, content }, { dryRun, context }) =>
      importSource(register, { digest, format, pieces: onePiece(content) }, { dryRun }, context),
  };
}

async function* onePiece(content: Buffer): AsyncGenerator<Buffer> {
  await Promise.resolve();
  yield content;
}

/** @throws Error */
function formatOf(path: string): FileFormat {
  const ending = extname(path).slice(1).toLowerCase();
  const format = fileFormats.find((known) => known === ending);
  if (format !== undefined) return format;
  throw new Error(`The name of the file ends neither in .csv nor in .jsonl. Give --format.`);
}

/** Opens the file when the first piece is read. */
async function* piecesOf(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of piecesOf(path)) hash.update(piece);
  return hash.digest('hex');
}

/** Two letters and eight digits as one exact number. */
function packedNumber(registrationNumber: string): number {
  const [first, second] = [registrationNumber.charCodeAt(0), registrationNumber.charCodeAt(1)];
  return ((first % 4096) * 4096 + (second % 4096)) * 1e8 + Number(registrationNumber.slice(2));
}
