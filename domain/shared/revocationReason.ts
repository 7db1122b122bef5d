import { Refusal } from './refusal.ts';

/** CRLReason (RFC 5280 §5.3.1) by number; 7 is not used. */
export const revocationReasons = {
  unspecified: 0,
  keyCompromise: 1,
  cACompromise: 2,
  affiliationChanged: 3,
  superseded: 4,
  cessationOfOperation: 5,
  certificateHold: 6,
  removeFromCRL: 8,
  privilegeWithdrawn: 9,
  aACompromise: 10,
} as const;

const { certificateHold, removeFromCRL } = revocationReasons;

const usable: ReadonlySet<number> = new Set(
  Object.values(revocationReasons).filter((reason) => reason !== removeFromCRL),
);

/**
 * Accepts reasons for revocation or suspension. removeFromCRL (8) ends a hold in a delta CRL, so reinstating is its own
 * command; 7 is not assigned.
 *
 * @throws Refusal REVOCATION_REASON_INVALID
 */
export function assertReason(reason: number): void {
  if (usable.has(reason)) return;
  const detail =
    reason === removeFromCRL
      ? 'Reason 8 (removeFromCRL) does not revoke. Reinstate the suspended certificate instead.'
      : 'The reason must be a CRLReason of RFC 5280: 0 to 6, 9 or 10.';
  throw new Refusal('REVOCATION_REASON_INVALID', {
    detail,
    errors: [{ pointer: '/reason', detail }],
  });
}

/** Accepts reasons for irreversible revocation, see {@link assertReason}. @throws Refusal REVOCATION_REASON_INVALID */
export function assertFinalReason(reason: number): void {
  assertReason(reason);
  if (reason !== certificateHold) return;
  const detail = 'Reason 6 (certificateHold) suspends, but this revocation cannot be undone.';
  throw new Refusal('REVOCATION_REASON_INVALID', {
    detail,
    errors: [{ pointer: '/reason', detail }],
  });
}
