import { Unavailable } from '../../application/ports/faults.ts';
import type { FileStore } from '../../application/document/ports/fileStore.ts';

/** File store used when none is configured: accepts no files and has none. */
export function createNoFileStore(): FileStore {
  const cause = new Error('Neither SVC_FILE_STORE_DIR nor SVC_FILE_STORE_S3_URL is set.');
  const refuse = () => Promise.reject(new Unavailable('fileStore', cause));
  return { put: refuse, get: refuse, remove: refuse };
}
