import type { Clock } from '../../application/ports/clock.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { Randomness } from '../../application/ports/randomness.ts';
import type { Timestamping } from '../../application/ports/timestamping.ts';
import type { TrustedIssuers } from '../pki/certificatePath.ts';
import { createTimestampExchange, QuotaExceeded } from './timestampExchange.ts';
import { encodeTimestampRequest, type TimestampRequest } from './timestampRequest.ts';
import { decodeTimestampResponse } from './timestampResponse.ts';
import { TimestampRejected, verifyTimestampToken } from './verifyTimestampToken.ts';

export interface TimestampClientOptions {
  /** Addresses of authorities, the preferred one first. */
  readonly urls: readonly string[];
  readonly trust: TrustedIssuers;
  /** Dotted OID to ask for; null: the authority's own. */
  readonly policy: string | null;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Milliseconds one authority has to answer; default 3000. */
  readonly timeoutMs?: number;
  /** Hears of every call. @param status the HTTP status, `rejected` or `error` */
  readonly onCalled?: (status: string, seconds: number) => void;
  /** An authority was put aside. */
  readonly onPutAside?: (url: string, seconds: number, cause: unknown) => void;
}

/** How long an authority that failed, or did not say for how long its quota is used up, is not asked, seconds. */
const ASIDE_AFTER_FAILURE = 10;
const ASIDE_AFTER_QUOTA = 60;

/** How far a token's time may be from ours, milliseconds. */
const MAX_SKEW_MS = 5 * 60_000;

interface Authority {
  readonly url: string;
  /** Not asked before, epoch milliseconds. */
  asideUntil: number;
  /** Whether it is aside because of its quota: then it is not asked even if all others fail. */
  quotaUsedUp: boolean;
}

/**
 * Asks one authority after the other (RFC 3161 over HTTP). One that fails is put aside for a while, one whose quota is
 * used up for as long as it says; when all have failed they are asked again all the same.
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
      throw new TimestampRejected('The token answers another request.');
    }
    if (policy !== null && token.policy !== policy) {
      throw new TimestampRejected('The token was issued under another policy.');
    }
    if (Math.abs(token.time.getTime() - clock.now().getTime()) > MAX_SKEW_MS) {
      throw new TimestampRejected('The token says another time.');
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

  /** Those in service in their order, then those that failed lately. */
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
