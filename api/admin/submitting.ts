import { z } from 'zod';
import type { SensitiveCommand } from '../../application/approval/sensitiveCommand.ts';
import type { Submit, Submitted } from '../../application/approval/submitCommand.ts';
import type { RequestContext } from '../http/route.ts';
import { byOperator, type Operator } from './guard.ts';

/** Why a command is asked for, for the operator who decides. */
export const comment = z.string().trim().min(1).max(500).optional();

/** The body of a sensitive command that takes nothing else; it may be left out. */
export const commentBody = z.object({ comment }).prefault({});

/** A request of an operator for a sensitive command. */
export interface Submission {
  readonly principal: Operator;
  readonly context: RequestContext;
  readonly body: { readonly comment?: string | undefined };
}

/** Submits a command as the operator who sent the request. */
export function submitFor(
  submit: Submit,
  { principal: operator, context, body }: Submission,
  command: SensitiveCommand,
): Promise<Submitted> {
  return submit(command, {
    ...{ operator, comment: body.comment },
    context: byOperator(context, operator, context.requestId),
  });
}
