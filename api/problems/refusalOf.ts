import {
  isOfNewerRelease,
  Overloaded,
  RevisionConflict,
  Unavailable,
} from '../../application/ports/faults.ts';
import { SubjectForgotten } from '../../application/ports/personalDataVault.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';

// Retry-After under load, s.
const retryWhenOverloaded = 1;
const retryWhenUnavailable = 2;

/** Maps any error to a refusal; unknown errors disclose nothing. */
export function refusalOf(error: unknown): Refusal {
  if (isRefusal(error)) return error;
  if (error instanceof Overloaded) {
    return new Refusal('OVERLOADED', { retryAfterSeconds: retryWhenOverloaded });
  }
  if (error instanceof Unavailable || isOfNewerRelease(error)) {
    return new Refusal('DEPENDENCY_UNAVAILABLE', { retryAfterSeconds: retryWhenUnavailable });
  }
  if (error instanceof RevisionConflict) return new Refusal('CONFLICT');
  if (error instanceof SubjectForgotten) return new Refusal('PERSON_NOT_FOUND');
  return new Refusal('INTERNAL');
}
