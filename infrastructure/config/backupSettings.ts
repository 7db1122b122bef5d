import { secureEndpoint } from './addresses.ts';
import { objectStoreSettings as store } from './objectStoreSettings.ts';
import { setting } from './settings.ts';

/** Settings of the store that backups are kept in, where that is no directory. */
export const backupSettings = {
  SVC_BACKUP_S3_URL: setting(
    secureEndpoint.optional(),
    'Address of the store for `s3://bucket/prefix` in `./tamga backup` and `./tamga restore`, without the bucket, ' +
      'for example `https://s3.example.mn`; https, or http on this machine.',
  ),
  SVC_BACKUP_S3_REGION: store.region,
  SVC_BACKUP_S3_KEY_ID: store.keyId,
  SVC_BACKUP_S3_SECRET: store.secret,
} as const;
