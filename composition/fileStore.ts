import { join } from 'node:path';
import type { FileScanner } from '../application/ports/fileScanner.ts';
import type { FileStore } from '../application/ports/fileStore.ts';
import type { Config } from '../infrastructure/config.ts';
import { createClamdScanner } from '../infrastructure/files/clamdScanner.ts';
import { createDirectoryFileStore } from '../infrastructure/files/directoryFileStore.ts';
import { createNoFileStore } from '../infrastructure/files/noFileStore.ts';
import { createNoScanner } from '../infrastructure/files/noScanner.ts';
import { createS3FileStore } from '../infrastructure/files/s3FileStore.ts';
import type { Metrics } from '../infrastructure/telemetry/metrics.ts';

/** Where files are, as configured. */
export function openFileStore(config: Config, metrics: Metrics): FileStore {
  const { SVC_FILE_STORE_DIR: directory, SVC_FILE_STORE_S3_URL: bucketUrl } = config;
  if (bucketUrl !== undefined) {
    return createS3FileStore({
      ...{ bucketUrl, region: config.SVC_FILE_STORE_S3_REGION },
      accessKeyId: config.SVC_FILE_STORE_S3_KEY_ID ?? '',
      secretAccessKey: config.SVC_FILE_STORE_S3_SECRET ?? '',
      onCalled: (operation, status, seconds) =>
        metrics.externalRequest('fileStore', operation, status, seconds),
    });
  }
  if (directory !== undefined) return createDirectoryFileStore(directory);
  return config.SVC_PROFILE === 'development'
    ? createDirectoryFileStore(join(config.SVC_DATA_DIR, 'files'))
    : createNoFileStore();
}

/** What looks for viruses in them, as configured. */
export function openFileScanner(config: Config, metrics: Metrics): FileScanner {
  const { SVC_FILE_SCANNER: address } = config;
  if (address === undefined) return createNoScanner();
  return createClamdScanner({
    address,
    onCalled: (status, seconds) => metrics.externalRequest('fileScanner', 'scan', status, seconds),
  });
}
