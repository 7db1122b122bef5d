import type { FileContent } from '../../ports/objectStore.ts';

/** Result of a virus scan; `found` names the infection. */
export type ScanResult = { readonly found: null } | { readonly found: string };

/**
 * Scans files before they are available to anybody.
 *
 * @throws Unavailable(fileScanner) for a missing or unintelligible answer
 */
export interface FileScanner {
  scan(content: FileContent): Promise<ScanResult>;
}
