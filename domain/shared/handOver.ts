import { Refusal } from './refusal.ts';

/** A link that hands a new secret over to whoever opens it first; the secret is made at that moment. */
export interface HandOver {
  /** SHA-256 of the link's token, lower-case hexadecimal. */
  readonly tokenHash: string;
  /** ISO 8601: from then on it opens nothing. */
  readonly until: string;
}

/** A link as offered. */
export interface OfferedLink extends HandOver {
  /** ISO 8601. */
  readonly offeredAt: string;
}

/** A link that somebody opened. */
export interface OpenedLink {
  readonly tokenHash: string;
  /**
   * ISO 8601: links of before may have been used or withdrawn between a backup and its restore; null: nothing was
   * restored.
   */
  readonly countsSince: string | null;
}

/** Validity of such a link, ms: over a night, not over a weekend. */
export const HAND_OVER_MS = 24 * 3_600_000;

/** @throws Refusal NOT_FOUND for a link that was used, replaced or is too old, which one is not told */
export function expectOpen(
  handOver: OfferedLink | null,
  { tokenHash, countsSince }: OpenedLink,
  now: string,
): void {
  const isRight = handOver?.tokenHash === tokenHash && now < handOver.until;
  if (isRight && (countsSince === null || handOver.offeredAt >= countsSince)) return;
  throw new Refusal('NOT_FOUND', {
    detail: 'This link was used, replaced by another one, or is too old. Ask for a new one.',
  });
}
