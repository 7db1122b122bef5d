import type { CommandContext } from '../../handleCommand.ts';
import type { ImportReport } from '../../registerImport/importRegister.ts';
import type { RegisterName } from '../../../domain/registerImport/events.ts';

/** Format of a register's file. */
export type UploadFormat = 'csv' | 'jsonl';

/** A file of a register, as an operator uploaded it. */
export interface RegisterUpload {
  readonly register: RegisterName;
  readonly format: UploadFormat;
  /** SHA-256, lower-case hexadecimal. */
  readonly digest: string;
  /** Null: it was imported, and its bytes are gone. */
  readonly content: Buffer | null;
}

/** Files that wait to be imported, encrypted. @throws Unavailable(database) */
export interface RegisterUploads {
  /** Keeps a file; one that is there already, or was imported before, waits again. */
  save(upload: RegisterUpload & { readonly content: Buffer }, now: Date): Promise<void>;
  find(register: RegisterName, digest: string): Promise<RegisterUpload | null>;
  /** Removes the bytes of a file that was imported. */
  imported(register: RegisterName, digest: string): Promise<void>;
  removeBefore(moment: Date): Promise<void>;
}

/** Compares a file with its register, or brings it in: the importer of `./tamga registry import`. */
export type ImportUpload = (
  upload: RegisterUpload & { readonly content: Buffer },
  options: { readonly dryRun: boolean; readonly context: CommandContext },
) => Promise<ImportReport>;
