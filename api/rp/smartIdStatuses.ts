import type { RelyingPartyData } from '../../application/ports/referenceData.ts';
import { NoSuitableCertificate } from '../../application/session/sessionOwner.ts';
import { isRefusal, type Refusal } from '../../domain/shared/refusal.ts';
import { AnsweredAs } from '../http/problems.ts';

/**
 * Applies Smart-ID's HTTP statuses to errors of `work` for relying parties registered for them: 471
 * certificate below the requested level; 472 no certificate in force, the person must act; 580
 * maintenance. The body is unchanged. 480, for retired protocols, is the status of CLIENT_TOO_OLD
 * itself: other relying parties receive INVALID_REQUEST.
 */
export async function withSmartIdStatuses<Result>(
  { smartIdStatuses }: Pick<RelyingPartyData, 'smartIdStatuses'>,
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
