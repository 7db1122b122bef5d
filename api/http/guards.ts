import type { CommandContext } from '../../application/handleCommand.ts';
import type { Actor } from '../../application/ports/eventStore.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { goOnWith, type Step } from './exchange.ts';
import type { Guard, RequestContext, Route } from './route.ts';

/** Admits every caller. */
export const anyone: Guard<null> = { description: 'public', check: () => null };

/** Step that asks the route's guard. */
export function authenticate({ guard }: Route): Step {
  return (_request, { locals: { exchange } }, next) =>
    goOnWith(guard.check(exchange), (principal) => {
      exchange.principal = principal;
      const actor = guard.actorOf?.(principal);
      if (actor !== undefined) exchange.actor = actor;
      next();
    });
}

/**
 * Reads the credential of an `Authorization: Bearer …` header.
 *
 * @throws Refusal UNAUTHENTICATED when absent or repeated
 */
export function bearerToken(context: RequestContext): string {
  const { authorization } = context.headers;
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined || context.headerCount('authorization') !== 1) {
    throw new Refusal('UNAUTHENTICATED', { detail: 'Send Authorization: Bearer <API secret>.' });
  }
  return token;
}

/** Command context of an applicant: a person without a device, whose identity is being proofed. */
export function asApplicant(
  context: RequestContext,
  correlationId = context.requestId,
): CommandContext {
  return commandContext(context, { kind: 'citizen', id: 'applicant' }, correlationId);
}

/** Command context of a request. @param correlationId the business process, for a session its id */
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
