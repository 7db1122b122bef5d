import {
  createQuota,
  placesOfBytes,
  placesOfMegabytes,
  type Quota,
} from '../../application/attempts.ts';
import type { AttemptLimits } from '../../application/ports/attemptLimits.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { createRedisAttemptLimits } from '../../infrastructure/redis/redisAttemptLimits.ts';
import { createMemoryAttemptLimits } from '../../infrastructure/system.ts';
import type { Foundation } from './foundation.ts';

/** Window of a quota, from the first thing counted, ms. */
const A_DAY = 24 * 60 * 60_000;

export interface Quotas {
  /** Documents made, by citizen or user of an organization. */
  readonly documents: Quota;
  /** Bytes of files attached to documents, by the same. */
  readonly files: Quota;
  /** PDFs prepared, stamped or sealed and their bytes, by relying party. */
  readonly pdfs: Quota;
}

/** Quotas of callers, counted over all processes with Redis. */
export function composeQuotas(
  config: Config,
  { redis, clock }: Pick<Foundation, 'redis' | 'clock'>,
): Quotas {
  const aDay = (attempts: number): AttemptLimits =>
    redis === null
      ? createMemoryAttemptLimits({ attempts, windowMs: A_DAY })
      : createRedisAttemptLimits({ redis: redis.client, attempts, windowMs: A_DAY });
  const things = (setting: CountSetting, what: string) => {
    const most = config[setting];
    const limit = { what: `At most ${most} ${what} in 24 hours.`, setting };
    return most === 0 ? [] : [{ limit, counts: aDay(most) }];
  };
  const megabytes = (setting: CountSetting, what: string) => {
    const most = config[setting];
    const limit = { what: `At most ${most} MB of ${what} in 24 hours.`, setting };
    if (most === 0) return [];
    return [{ limit, counts: aDay(placesOfMegabytes(most)), placesOf: placesOfBytes }];
  };
  const quota = (quantities: Parameters<typeof createQuota>[0]) => createQuota(quantities, clock);
  return {
    documents: quota(things('SVC_DOCUMENTS_PER_DAY', 'documents')),
    files: quota(megabytes('SVC_DOCUMENT_MEGABYTES_PER_DAY', 'files')),
    pdfs: quota([
      ...things('SVC_PDFS_PER_DAY', 'PDFs'),
      ...megabytes('SVC_PDF_MEGABYTES_PER_DAY', 'PDFs'),
    ]),
  };
}

type CountSetting =
  | 'SVC_DOCUMENTS_PER_DAY'
  | 'SVC_DOCUMENT_MEGABYTES_PER_DAY'
  | 'SVC_PDFS_PER_DAY'
  | 'SVC_PDF_MEGABYTES_PER_DAY';
