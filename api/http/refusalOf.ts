import { Overloaded, RevisionConflict, Unavailable } from '../../application/ports/faults.ts';
import { SubjectForgotten } from '../../application/ports/personalDataVault.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';

// Seconds.
const retryWhenOverloaded = 1;
const retryWhenUnavailable = 2;

/** The refusal an error of any kind is answered as; what is unknown says nothing. */
export function refusalOf(error: unknown): Refusal {
  if (isRefusal(error)) return error;
  if (error instanceof Overloaded) {
    return new Refusal('OVERLOADED', { retryAfterSeconds: retryWhenOverloaded });
  }
  if (error instanceof Unavailable) {
    return new Refusal('DEPENDENCY_UNAVAILABLE', { retryAfterSeconds: retryWhenUnavailable });
  }
  if (error instanceof RevisionConflict) return new Refusal('CONFLICT');
  if (error instanceof SubjectForgotten) return new Refusal('PERSON_NOT_FOUND');
  return new Refusal('INTERNAL');
}
