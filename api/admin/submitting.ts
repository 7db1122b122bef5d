import { z } from 'zod';
import type { SensitiveCommand } from '../../application/approval/operations.ts';
import type { Submit, Submitted } from '../../application/approval/submitCommand.ts';
import type { RequestContext } from '../http/route.ts';
import { byOperator, type Operator } from './guard.ts';

/** Reason of a command, for the operator who decides. */
export const comment = z.string().trim().min(1).max(500).optional();

/** Optional body of a sensitive command without other fields. */
export const commentBody = z.object({ comment }).prefault({});

/** A request of an operator for a sensitive command. */
export interface Submission {
  readonly principal: Operator;
  readonly context: RequestContext;
  readonly body: { readonly comment?: string | undefined };
}

/** Submits a command on behalf of the requesting operator. */
export function submitFor(
  submit: Submit,
  { principal: operator, context, body }: Submission,
  command: SensitiveCommand,
): Promise<Submitted> {
  return submit(command, {
    operator,
    comment: body.comment,
    context: byOperator(context, operator, context.requestId),
  });
}
