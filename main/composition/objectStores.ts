import { join } from 'node:path';
import type { ObjectStore } from '../../application/ports/objectStore.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import type { ObjectStorePrefix } from '../../infrastructure/config/objectStoreSettings.ts';
import { createDirectoryObjects } from '../../infrastructure/files/directoryObjects.ts';
import { createS3Objects } from '../../infrastructure/files/s3Objects.ts';
import { withinBound } from '../../infrastructure/outside/access.ts';
import type { Outside } from '../../infrastructure/outside/bounds.ts';
import type { Metrics } from '../../infrastructure/telemetry/metrics.ts';

export interface ObjectStoreUse {
  readonly prefix: ObjectStorePrefix;
  readonly dependency: 'fileStore' | 'archive';
  /** Folder in `SVC_DATA_DIR`, in the profile `development`. */
  readonly folder: string;
  /** Path of an object in a directory; default: its name. */
  readonly pathOf?: (name: string) => string;
  /** Milliseconds for one object in a bucket, from the first byte to the last. */
  readonly timeoutMs?: number;
}

/** Requests to a bucket at once; each waits on a socket, not in a thread. */
const MOST_REQUESTS = 32;
const OBJECT_MS = 60_000;

/** Opens the configured object store; null: none is configured. */
export function openObjectStore(
  config: Config,
  { metrics, outside }: { readonly metrics: Metrics; readonly outside: Outside },
  { prefix, dependency, folder, pathOf, timeoutMs = OBJECT_MS }: ObjectStoreUse,
): ObjectStore | null {
  const bucketUrl = config[`${prefix}_S3_URL`];
  if (bucketUrl !== undefined) {
    const access = outside.open(dependency, { most: MOST_REQUESTS, timeoutMs });
    const objects = createS3Objects({
      bucketUrl,
      dependency,
      region: config[`${prefix}_S3_REGION`],
      accessKeyId: config[`${prefix}_S3_KEY_ID`] ?? '',
      secretAccessKey: config[`${prefix}_S3_SECRET`] ?? '',
      timeoutMs,
      onCalled: (operation, status, seconds) =>
        metrics.externalRequest(dependency, operation, status, seconds),
    });
    return withinBound(access, objects);
  }
  const directory = objectDirectory(config, { prefix, folder });
  if (directory === null) return null;
  return createDirectoryObjects({
    isMade: config[`${prefix}_DIR`] === undefined || prefix === 'SVC_FILE_STORE',
    directory,
    dependency,
    access: outside.open(dependency),
    ...(pathOf && { pathOf }),
  });
}

/** Files of documents. */
export const fileStoreUse = {
  prefix: 'SVC_FILE_STORE',
  dependency: 'fileStore',
  folder: 'files',
} as const;

/** Ended sessions outside the database. */
export const archiveUse = {
  prefix: 'SVC_ARCHIVE',
  dependency: 'archive',
  folder: 'archive',
} as const;

/** Directory of a store; null: it is a bucket, or none is configured. */
export function objectDirectory(
  config: Config,
  { prefix, folder }: Pick<ObjectStoreUse, 'prefix' | 'folder'>,
): string | null {
  if (config[`${prefix}_S3_URL`] !== undefined) return null;
  const directory = config[`${prefix}_DIR`];
  if (directory !== undefined) return directory;
  return config.SVC_PROFILE === 'development' ? join(config.SVC_DATA_DIR, folder) : null;
}
