import { z } from 'zod';
import { isSecure, url } from './addresses.ts';
import { secret, setting } from './settings.ts';

/** Prefix of the settings of an object store: a directory, or a bucket. */
export type ObjectStorePrefix = 'SVC_FILE_STORE' | 'SVC_ARCHIVE';

type Names<Prefix extends ObjectStorePrefix> =
  `${Prefix}_${'DIR' | 'S3_URL' | 'S3_REGION' | 'S3_KEY_ID' | 'S3_SECRET'}`;

/** Values of the settings of an object store. */
export type ObjectStoreConfig<Prefix extends ObjectStorePrefix> = Readonly<
  Partial<Record<Names<Prefix>, string | undefined>>
>;

const optionalText = z.string().min(1).optional();
const region = z.string().regex(/^[a-z0-9-]{1,64}$/, 'must be up to 64 small letters, digits or -');

/** Schemas of the settings of an object store, by the end of their names. */
export const objectStoreSettings = {
  directory: (description: string, shown: string) => setting(optionalText, description, shown),
  bucket: (example: string) =>
    setting(
      url.optional(),
      `Alternatively, the address of a bucket in a store with the Amazon S3 API, for example \`${example}\`.`,
    ),
  region: setting(
    region.default('us-east-1'),
    'Its region, which is part of the signatures of requests.',
  ),
  keyId: setting(optionalText, 'Its access key id.'),
  secret: secret(optionalText, 'Its secret access key.'),
};

/** Object stores, and the fault when one has two locations. */
const stores = { SVC_FILE_STORE: 'files have', SVC_ARCHIVE: 'the archive has' } as const;

type StoresConfig = ObjectStoreConfig<'SVC_FILE_STORE'> & ObjectStoreConfig<'SVC_ARCHIVE'>;

/** Rejects two places, and a bucket without credentials. @returns faults by name */
export function incompleteObjectStores(config: StoresConfig): readonly string[] {
  const faults: string[] = [];
  for (const [prefix, what] of Object.entries(stores) as [ObjectStorePrefix, string][]) {
    const bucket = config[`${prefix}_S3_URL`];
    if (bucket !== undefined && config[`${prefix}_DIR`] !== undefined) {
      faults.push(`${prefix}_DIR, ${prefix}_S3_URL: ${what} one place; remove one`);
    }
    for (const name of [`${prefix}_S3_KEY_ID`, `${prefix}_S3_SECRET`] as const) {
      if ((bucket === undefined) === (config[name] === undefined)) continue;
      faults.push(`${name}: needed together with ${prefix}_S3_URL`);
    }
  }
  return faults;
}

/** Rejects an unencrypted connection to a bucket beyond this machine in production. @returns faults by name */
export function unsafeObjectStores(config: StoresConfig): readonly string[] {
  return (Object.keys(stores) as ObjectStorePrefix[]).flatMap((prefix) => {
    const bucket = config[`${prefix}_S3_URL`];
    return bucket === undefined || isSecure(bucket)
      ? []
      : [`${prefix}_S3_URL: must be https in production`];
  });
}
