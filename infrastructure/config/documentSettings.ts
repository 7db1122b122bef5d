import { z } from 'zod';
import { faultOfName } from '../../domain/relyingParty/names.ts';
import { objectStoreSettings as store } from './objectStoreSettings.ts';
import { socketUrl } from './addresses.ts';
import { count, setting } from './settings.ts';

/** Settings of documents and their file store. */
export const documentSettings = {
  SVC_DOCUMENT_MAX_BYTES: setting(
    count(1024, 1_073_741_824).default(26_214_400),
    'Largest file of a document, in bytes.',
  ),
  SVC_DOCUMENT_REQUESTS_PER_MINUTE: setting(
    count(1, 100_000_000).default(600),
    'Requests per minute that one caller may send to `/documents`.',
  ),
  SVC_DOCUMENTS_PER_DAY: setting(
    count(0, 100_000_000).default(2000),
    'Documents that one caller may create in 24 hours; 0 means no limit.',
  ),
  SVC_DOCUMENT_MEGABYTES_PER_DAY: setting(
    count(0, 100_000_000).default(2048),
    'Megabytes of files that one caller may attach to documents in 24 hours; 0 means no limit.',
  ),
  SVC_DOCUMENT_SIGNING_NAME: setting(
    z
      .string()
      .superRefine((name, context) => {
        const message = faultOfName(name);
        if (message !== null) context.addIssue({ code: 'custom', message });
      })
      .default('Tamga'),
    'Name shown on phones when citizens are asked to sign documents. It is read when that first happens.',
  ),
  SVC_FILE_STORE_DIR: store.directory(
    'Directory for the files of documents. Several processes need a shared volume.',
    'development: <SVC_DATA_DIR>/files; otherwise documents carry no files',
  ),
  SVC_FILE_STORE_S3_URL: store.bucket('https://s3.example.mn/documents'),
  SVC_FILE_STORE_S3_REGION: store.region,
  SVC_FILE_STORE_S3_KEY_ID: store.keyId,
  SVC_FILE_STORE_S3_SECRET: store.secret,
  SVC_FILE_SCANNER: setting(
    socketUrl.optional(),
    'ClamAV daemon that scans every uploaded file: `tcp://host:port` or `unix:///path`.',
    'files are not scanned',
  ),
} as const;
