import type { AskedApproval } from '../../domain/approval/approval.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { expectAsked } from './decideApproval.ts';
import { executeApproved, type ExecuteDependencies, refusalOf } from './executeApproved.ts';
import type { ActingOperator, MadeSecret } from './operations.ts';

/**
 * Executes an approved command whose result is a secret, and returns the secret to the requester, once. It is generated
 * now and not stored: when the response is lost, a new secret has to be requested.
 *
 * @throws Refusal APPROVAL_NOT_FOUND, PERMISSION_DENIED, CONFLICT, APPROVAL_EXPIRED, APPROVAL_STALE, and the refusals
 * of the command
 */
export async function collectResult(
  dependencies: ExecuteDependencies,
  approvalId: string,
  operator: ActingOperator,
): Promise<MadeSecret> {
  const { approvals, clock } = dependencies;
  const asked = expectAsked((await approvals.load(approvalId)).state);
  assertCollectable(asked, operator, clock.now().toISOString());
  const executed = await executeApproved(dependencies, approvalId, 'BY_REQUESTER');
  if (executed === null) throw alreadyCollected();
  const refusal = refusalOf(executed.approval);
  if (refusal !== null) throw refusal;
  if (executed.result === null) throw alreadyCollected();
  return executed.result;
}

function assertCollectable(
  { status, requested, ...end }: AskedApproval,
  operator: ActingOperator,
  now: string,
): void {
  if (requested.requestedBy !== operator.id) throw new Refusal('PERMISSION_DENIED');
  if (requested.execution !== 'BY_REQUESTER') {
    throw new Refusal('CONFLICT', { detail: 'This command yields nothing to collect.' });
  }
  if (status === 'PENDING') {
    throw new Refusal('CONFLICT', { detail: 'This request is not approved yet.' });
  }
  if (status === 'REJECTED') throw new Refusal('APPROVAL_DECIDED');
  if (status === 'EXECUTED') throw alreadyCollected();
  const refusal = refusalOf({ status, requested, ...end });
  if (refusal !== null) throw refusal;
  if (now >= requested.expiresAt) throw new Refusal('APPROVAL_EXPIRED');
}

function alreadyCollected(): Refusal {
  return new Refusal('CONFLICT', {
    detail: 'The result was already collected. If you lost it, ask for a new one.',
  });
}
