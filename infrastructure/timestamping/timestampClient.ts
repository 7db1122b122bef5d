import type { Clock } from '../../application/ports/clock.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { Randomness } from '../../application/ports/randomness.ts';
import type { Timestamping } from '../../application/ports/timestamping.ts';
import type { TrustedIssuers } from '../pki/certificatePath.ts';
import { createTimestampExchange, QuotaExceeded } from './timestampExchange.ts';
import {
  decodeTimestampResponse,
  encodeTimestampRequest,
  type TimestampRequest,
} from './timestampMessages.ts';
import { TimestampRejected, verifyTimestampToken } from './verifyTimestampToken.ts';

export interface TimestampClientOptions {
  /** Addresses of authorities, in order of preference. */
  readonly urls: readonly string[];
  readonly trust: TrustedIssuers;
  /** Requested policy, dotted OID; null: the authority's default. */
  readonly policy: string | null;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Timeout of one authority, milliseconds; default 3000. */
  readonly timeoutMs?: number;
  /** Called after every request. @param status the HTTP status, `rejected` or `error` */
  readonly onCalled?: (status: string, seconds: number) => void;
  /** Called when an authority is suspended. */
  readonly onPutAside?: (url: string, seconds: number, cause: unknown) => void;
}

/** Suspension of an authority that failed, or whose exhausted quota has no stated end, seconds. */
const ASIDE_AFTER_FAILURE = 10;
const ASIDE_AFTER_QUOTA = 60;

/** Clock skew accepted in a token, its accuracy included, milliseconds. */
const MAX_SKEW_MS = 5 * 60_000;

interface Authority {
  readonly url: string;
  /** End of its suspension, epoch milliseconds. */
  asideUntil: number;
  /** Suspended because of its quota: not tried even if all others fail. */
  quotaUsedUp: boolean;
}

/**
 * Requests tokens from one authority after the other (RFC 3161 over HTTP). One that fails is suspended for a while, one
 * with an exhausted quota for as long as it states; when all have failed they are tried nevertheless.
 */
export function createTimestampClient(options: TimestampClientOptions): Timestamping {
  const { clock, randomness, policy, trust } = options;
  const { onPutAside = () => undefined } = options;
  const authorities = options.urls.map((url): Authority => ({
    url,
    asideUntil: 0,
    quotaUsedUp: false,
  }));
  const exchange = createTimestampExchange(options);

  async function ask({ url }: Authority, request: TimestampRequest): Promise<Buffer> {
    const answer = decodeTimestampResponse(await exchange(url, encodeTimestampRequest(request)));
    if (answer.status === 'refused') throw new QuotaExceeded(answer.reason, null);
    const { digest, hash } = request;
    const { token } = verifyTimestampToken(answer.token, { digest, hash, trust });
    if (token.nonce === null || request.nonce === null || !token.nonce.equals(request.nonce)) {
      throw new TimestampRejected("The token's nonce is not the requested one.");
    }
    if (policy !== null && token.policy !== policy) {
      throw new TimestampRejected('The token was issued under another policy.');
    }
    const skewMs = Math.abs(token.time.getTime() - clock.now().getTime());
    if (skewMs + token.accuracySeconds * 1000 > MAX_SKEW_MS) {
      throw new TimestampRejected("The token's time may differ too much from the clock.");
    }
    return answer.token;
  }

  function putAside(authority: Authority, cause: unknown): void {
    const isQuota = cause instanceof QuotaExceeded;
    const seconds = isQuota ? (cause.retryAfterSeconds ?? ASIDE_AFTER_QUOTA) : ASIDE_AFTER_FAILURE;
    authority.asideUntil = clock.now().getTime() + seconds * 1000;
    authority.quotaUsedUp = isQuota;
    onPutAside(authority.url, seconds, cause);
  }

  /** Available authorities in order of preference, then those that failed lately. */
  function candidates(): readonly Authority[] {
    const now = clock.now().getTime();
    const isAside = ({ asideUntil }: Authority) => asideUntil > now;
    return [
      ...authorities.filter((authority) => !isAside(authority)),
      ...authorities.filter((authority) => isAside(authority) && !authority.quotaUsedUp),
    ];
  }

  return {
    async timestamp(digest, hash) {
      const nonce = randomness.bytes(8);
      nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40;
      const causes: unknown[] = [];
      for (const authority of candidates()) {
        try {
          return await ask(authority, { digest, hash, policy, nonce, certificateWanted: true });
        } catch (error) {
          causes.push(error);
          putAside(authority, error);
        }
      }
      throw new Unavailable('timestamping', new AggregateError(causes, 'No authority answered.'));
    },
  };
}
