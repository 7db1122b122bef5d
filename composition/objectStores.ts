import { join } from 'node:path';
import type { Dependency } from '../application/ports/faults.ts';
import type { ObjectStore } from '../application/ports/objectStore.ts';
import type { Config } from '../infrastructure/config/config.ts';
import type { ObjectStorePrefix } from '../infrastructure/config/objectStoreSettings.ts';
import { createDirectoryObjects } from '../infrastructure/files/directoryObjects.ts';
import { createS3Objects } from '../infrastructure/files/s3Objects.ts';
import type { Metrics } from '../infrastructure/telemetry/metrics.ts';

export interface ObjectStoreUse {
  readonly prefix: ObjectStorePrefix;
  readonly dependency: Dependency;
  /** Folder in `SVC_DATA_DIR`, in the profile `development`. */
  readonly folder: string;
  /** Path of an object in a directory; default: its name. */
  readonly pathOf?: (name: string) => string;
  /** Milliseconds for one object in a bucket, from the first byte to the last. */
  readonly timeoutMs?: number;
}

/** Opens the configured object store; null: none is configured. */
export function openObjectStore(
  config: Config,
  metrics: Metrics,
  { prefix, dependency, folder, pathOf, timeoutMs }: ObjectStoreUse,
): ObjectStore | null {
  const bucketUrl = config[`${prefix}_S3_URL`];
  if (bucketUrl !== undefined) {
    return createS3Objects({
      bucketUrl,
      dependency,
      region: config[`${prefix}_S3_REGION`],
      accessKeyId: config[`${prefix}_S3_KEY_ID`] ?? '',
      secretAccessKey: config[`${prefix}_S3_SECRET`] ?? '',
      ...(timeoutMs !== undefined && { timeoutMs }),
      onCalled: (operation, status, seconds) =>
        metrics.externalRequest(dependency, operation, status, seconds),
    });
  }
  const directory = config[`${prefix}_DIR`];
  if (directory === undefined && config.SVC_PROFILE !== 'development') return null;
  return createDirectoryObjects({
    isMade: directory === undefined || prefix === 'SVC_FILE_STORE',
    directory: directory ?? join(config.SVC_DATA_DIR, folder),
    dependency,
    ...(pathOf && { pathOf }),
  });
}
