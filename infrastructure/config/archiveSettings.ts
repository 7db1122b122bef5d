import { type ObjectStoreConfig, objectStoreSettings as store } from './objectStoreSettings.ts';
import { count, setting } from './settings.ts';

/** Settings of the archive of ended sessions. */
export const archiveSettings = {
  SVC_SESSION_RETENTION: setting(
    count(1, 36_500).optional(),
    'Time ended sessions stay in the database before they move to the archive, in days (docs/operations.md, Archive).',
    'ended sessions stay',
  ),
  SVC_ARCHIVE_ENTRY_EVENTS: setting(
    count(10, 10_000_000).default(500_000),
    'With the log in EventStoreDB: number of session events in an archive entry. As many newer ones stay in the log.',
  ),
  SVC_ARCHIVE_DIR: store.directory(
    'Directory of the archive. Several processes need a shared volume.',
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
  readonly SVC_EVENTSTORE_ARCHIVE_URL?: string | undefined;
  readonly SVC_ROLES: readonly string[];
  readonly SVC_PROFILE: string;
}

/** Rejects a retention without a place for what is archived, or the right to take it out of the log. @returns faults by name */
export function incompleteArchive(config: ArchiveConfig): readonly string[] {
  if (config.SVC_SESSION_RETENTION === undefined) return [];
  const { SVC_ARCHIVE_DIR: directory, SVC_ARCHIVE_S3_URL: bucket, SVC_PROFILE: profile } = config;
  const faults: string[] = [];
  if (directory === undefined && bucket === undefined && profile !== 'development') {
    faults.push('SVC_SESSION_RETENTION: needs SVC_ARCHIVE_DIR or SVC_ARCHIVE_S3_URL');
  }
  const { SVC_EVENTSTORE_URL: log, SVC_EVENTSTORE_ARCHIVE_URL: deleting } = config;
  if (log !== undefined && deleting === undefined && config.SVC_ROLES.includes('worker')) {
    faults.push(
      'SVC_SESSION_RETENTION: needs SVC_EVENTSTORE_ARCHIVE_URL if a worker archives from EventStoreDB',
    );
  }
  return faults;
}
