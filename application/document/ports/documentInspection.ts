import type { DocumentWarning } from '../../../domain/shared/documentWarnings.ts';

/** A file beside those the service signed. Only `signed` is a yes. */
export type Recognition =
  | { readonly result: 'signed'; readonly sha256: string }
  | {
      /** Begins with a signed file, and goes on. */
      readonly result: 'altered';
      /** Of the signed part. */
      readonly sha256: string;
      readonly signedBytes: number;
      /** Kinds of what was added. */
      readonly added: readonly string[];
      readonly addedBytes: number;
      /** Objects of the signed part that a reader takes from what was added. */
      readonly replacedObjects: number;
    }
  | { readonly result: 'other' };

/**
 * Looks into files, in a time and memory that are bounded. Takes ownership of the bytes passed in: they may be gone when
 * the call returns.
 *
 * @throws Overloaded
 */
export interface DocumentInspection {
  /** Names what a PDF can do besides showing its pages; one that cannot be read has `UNREADABLE_PARTS`. */
  warningsOf(pdf: Buffer): Promise<readonly DocumentWarning[]>;
  /** Compares a file with whole files. @param signed their SHA-256, lower-case hexadecimal */
  recognise(file: Buffer, signed: readonly string[]): Promise<Recognition>;
}
