import type { FileContent } from './fileStore.ts';

/** What a virus scanner says of a file; `found` names what it is infected with. */
export type ScanResult = { readonly found: null } | { readonly found: string };

/**
 * Looks for viruses in files before anybody can see them.
 *
 * @throws Unavailable(fileScanner) when it does not answer, or not to that question
 */
export interface FileScanner {
  scan(content: FileContent): Promise<ScanResult>;
}
