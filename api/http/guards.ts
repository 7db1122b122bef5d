import type { CommandContext } from '../../application/handleCommand.ts';
import type { Actor } from '../../application/ports/eventStore.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { Guard, RequestContext } from './route.ts';

/** Lets everybody in. */
export const anyone: Guard<null> = { description: 'public', check: () => null };

/**
 * The credential of an `Authorization: Bearer …` header.
 *
 * @throws Refusal UNAUTHENTICATED when there is none
 */
export function bearerToken(context: RequestContext): string {
  const { authorization } = context.headers;
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) {
    throw new Refusal('UNAUTHENTICATED', { detail: 'Send Authorization: Bearer <API secret>.' });
  }
  return token;
}

/** Somebody on the way to a device; who they are is what is being found out. */
export function asApplicant(
  context: RequestContext,
  correlationId = context.requestId,
): CommandContext {
  return commandContext(context, { kind: 'citizen', id: 'applicant' }, correlationId);
}

/** What a command knows of the request that caused it. @param correlationId the business process, for a session its id */
export function commandContext(
  context: RequestContext,
  actor: Actor,
  correlationId: string,
): CommandContext {
  return {
    actor,
    correlationId,
    causationId: context.requestId,
    requestId: context.requestId,
    ip: context.ip,
  };
}
