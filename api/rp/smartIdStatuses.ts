import type { RelyingPartyFact } from '../../application/ports/facts.ts';
import { NoSuitableCertificate } from '../../application/session/sessionOwner.ts';
import { isRefusal, type Refusal } from '../../domain/shared/refusal.ts';
import { AnsweredAs } from '../http/problems.ts';

/**
 * What `work` throws, with the HTTP status Smart-ID has for it when the relying party's registration asks for those:
 * 471 the person has a certificate, but none of the level asked for; 472 the person has none in force and must see to
 * that; 580 maintenance. The body stays the same. 480, for a client that speaks a protocol no longer served, is the status
 * of CLIENT_TOO_OLD itself: others are told INVALID_REQUEST.
 */
export async function withSmartIdStatuses<Result>(
  { smartIdStatuses }: Pick<RelyingPartyFact, 'smartIdStatuses'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const status = smartIdStatuses && isRefusal(error) ? statusOf(error) : null;
    throw status === null ? error : new AnsweredAs(status, error as Refusal);
  }
}

function statusOf(refusal: Refusal): number | null {
  if (refusal instanceof NoSuitableCertificate) return refusal.hasAnotherLevel ? 471 : 472;
  return refusal.code === 'MAINTENANCE' ? 580 : null;
}
