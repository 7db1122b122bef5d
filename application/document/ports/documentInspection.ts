import type { DocumentWarning } from '../../../domain/shared/documentWarnings.ts';

/** Result of comparing a file with those the service signed. Only `signed` confirms it. */
export type Recognition =
  | { readonly result: 'signed'; readonly sha256: string }
  | {
      /** Starts with the bytes of a signed file, followed by others. */
      readonly result: 'altered';
      /** Of the signed part. */
      readonly sha256: string;
      readonly signedBytes: number;
      /** Kinds of additions. */
      readonly added: readonly string[];
      readonly addedBytes: number;
      /** Objects of the signed part that the additions replace. */
      readonly replacedObjects: number;
    }
  | { readonly result: 'other' };

/**
 * Inspects files in bounded time and memory. Takes ownership of the bytes passed in, which may be detached when the
 * call returns.
 *
 * @throws Overloaded
 */
export interface DocumentInspection {
  /** Names what a PDF can do besides showing its pages; one that cannot be read has `UNREADABLE_PARTS`. */
  warningsOf(pdf: Buffer): Promise<readonly DocumentWarning[]>;
  /** Compares a file with whole files. @param signed their SHA-256, lower-case hexadecimal */
  recognise(file: Buffer, signed: readonly string[]): Promise<Recognition>;
}
