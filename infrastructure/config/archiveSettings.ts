import { type ObjectStoreConfig, objectStoreSettings as store } from './objectStoreSettings.ts';
import { count, setting } from './settings.ts';

/** Settings of the archive of ended sessions. */
export const archiveSettings = {
  SVC_SESSION_RETENTION: setting(
    count(1, 36_500).optional(),
    'Days that ended sessions stay in the database; then they move to the archive (docs/operations.md, Archive).',
    'they stay',
  ),
  SVC_ARCHIVE_DIR: store.directory(
    'Directory of the archive; on a volume all processes share where there are several.',
    'development: <SVC_DATA_DIR>/archive; otherwise there is no archive',
  ),
  SVC_ARCHIVE_S3_URL: store.bucket('https://s3.example.mn/archive'),
  SVC_ARCHIVE_S3_REGION: store.region,
  SVC_ARCHIVE_S3_KEY_ID: store.keyId,
  SVC_ARCHIVE_S3_SECRET: store.secret,
} as const;

interface ArchiveConfig extends ObjectStoreConfig<'SVC_ARCHIVE'> {
  readonly SVC_SESSION_RETENTION?: number | undefined;
  readonly SVC_EVENTSTORE_URL?: string | undefined;
  readonly SVC_PROFILE: string;
}

/** Rejects a retention without a place for what is archived. @returns faults by name */
export function incompleteArchive(config: ArchiveConfig): readonly string[] {
  if (config.SVC_SESSION_RETENTION === undefined) return [];
  const { SVC_ARCHIVE_DIR: directory, SVC_ARCHIVE_S3_URL: bucket, SVC_PROFILE: profile } = config;
  const faults: string[] = [];
  if (directory === undefined && bucket === undefined && profile !== 'development') {
    faults.push('SVC_SESSION_RETENTION: needs SVC_ARCHIVE_DIR or SVC_ARCHIVE_S3_URL');
  }
  if (config.SVC_EVENTSTORE_URL !== undefined) {
    faults.push(
      'SVC_SESSION_RETENTION: only a log in PostgreSQL can be archived; leave it out with SVC_EVENTSTORE_URL',
    );
  }
  return faults;
}
