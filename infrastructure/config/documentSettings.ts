import { z } from 'zod';
import { count, isSecure, secret, setting, url } from './settings.ts';

/** Settings of documents and their file store. */
export const documentSettings = {
  SVC_DOCUMENT_MAX_BYTES: setting(
    count(1024, 1_073_741_824).default(26_214_400),
    'Largest file a document may carry, bytes.',
    '26214400',
  ),
  SVC_DOCUMENT_REQUESTS_PER_MINUTE: setting(
    count(1, 100_000_000).default(600),
    'Requests one caller may send to `/documents` a minute.',
    '600',
  ),
  SVC_DOCUMENT_SIGNING_NAME: setting(
    z
      .string()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= 32, 'at most 32 bytes')
      .default('Tamga'),
    'In whose name citizens are asked on their phones to sign documents; read when that first happens.',
    'Tamga',
  ),
  SVC_FILE_STORE_DIR: setting(
    z.string().min(1).optional(),
    'Directory of the files of documents; on a volume all processes share where there are several.',
    'development: <SVC_DATA_DIR>/files; otherwise documents carry no files',
  ),
  SVC_FILE_STORE_S3_URL: setting(
    url.optional(),
    'Instead: address of a bucket in a store that speaks the Amazon S3 API, for example `https://s3.example.mn/documents`.',
  ),
  SVC_FILE_STORE_S3_REGION: setting(
    z
      .string()
      .regex(/^[a-z0-9-]{1,64}$/)
      .default('us-east-1'),
    'Its region, as requests are signed with.',
    'us-east-1',
  ),
  SVC_FILE_STORE_S3_KEY_ID: setting(z.string().min(1).optional(), 'Access key id for it.'),
  SVC_FILE_STORE_S3_SECRET: secret(z.string().min(1).optional(), 'Secret access key for it.'),
  SVC_FILE_SCANNER: setting(
    z
      .string()
      .regex(
        /^(tcp:\/\/[A-Za-z0-9.-]+:\d{1,5}|unix:\/\/\/\S+)$/,
        'must be tcp://host:port or unix:///path',
      )
      .optional(),
    'ClamAV daemon that looks at every uploaded file: `tcp://host:port` or `unix:///path`.',
    'files are not scanned',
  ),
} as const;

interface FileStoreConfig {
  readonly SVC_FILE_STORE_DIR?: string | undefined;
  readonly SVC_FILE_STORE_S3_URL?: string | undefined;
  readonly SVC_FILE_STORE_S3_KEY_ID?: string | undefined;
  readonly SVC_FILE_STORE_S3_SECRET?: string | undefined;
}

/** Rejects two file stores, and a bucket without credentials. @returns faults by name */
export function incompleteFileStore(config: FileStoreConfig): readonly string[] {
  const { SVC_FILE_STORE_S3_URL: bucket } = config;
  const faults: string[] = [];
  if (bucket !== undefined && config.SVC_FILE_STORE_DIR !== undefined) {
    faults.push('SVC_FILE_STORE_DIR, SVC_FILE_STORE_S3_URL: files have one place; keep one');
  }
  for (const name of ['SVC_FILE_STORE_S3_KEY_ID', 'SVC_FILE_STORE_S3_SECRET'] as const) {
    if ((bucket === undefined) === (config[name] === undefined)) continue;
    faults.push(`${name}: needed together with SVC_FILE_STORE_S3_URL`);
  }
  return faults;
}

/** Rejects an unencrypted connection to a bucket beyond this machine in production. @returns faults by name */
export function unsafeFileStore({
  SVC_FILE_STORE_S3_URL: bucket,
}: FileStoreConfig): readonly string[] {
  return bucket === undefined || isSecure(bucket)
    ? []
    : ['SVC_FILE_STORE_S3_URL: must be https in production'];
}
