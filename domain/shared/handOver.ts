import { Refusal } from './refusal.ts';

/** A link that hands a new secret over to whoever opens it first; the secret is made at that moment. */
export interface HandOver {
  /** SHA-256 of the link's token, lower-case hexadecimal. */
  readonly tokenHash: string;
  /** ISO 8601: from then on it opens nothing. */
  readonly until: string;
}

/** Validity of such a link, ms: over a night, not over a weekend. */
export const HAND_OVER_MS = 24 * 3_600_000;

/** @throws Refusal NOT_FOUND for a link that was used, replaced or is too old, which one is not told */
export function expectOpen(handOver: HandOver | null, tokenHash: string, now: string): void {
  if (handOver?.tokenHash === tokenHash && now < handOver.until) return;
  throw new Refusal('NOT_FOUND', {
    detail: 'This link was used, replaced by another one, or is too old. Ask for a new one.',
  });
}
