import type { CommandContext } from '../../application/handleCommand.ts';
import type { OperatorSession } from '../../application/operator/sessions.ts';
import type { Actor } from '../../application/ports/eventStore.ts';
import {
  type Capability,
  hasCapability,
  type OperatorRole,
} from '../../domain/operator/capabilities.ts';
import { equalSecrets } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { commandContext } from '../http/guards.ts';
import type { Guard, RequestContext } from '../http/route.ts';

/** Who calls the operator API. */
export interface Operator {
  /** The operator's id; `break-glass` and `development` for those who are no operators. */
  readonly id: string;
  readonly role: OperatorRole;
  /** Null for those who are no operators. */
  readonly session: OperatorSession | null;
}

export interface OperatorGuards {
  /** Lets in who has the capability. @throws Refusal UNAUTHENTICATED, PASSWORD_CHANGE_REQUIRED, PERMISSION_DENIED */
  withCapability(capability: Capability): Guard<Operator>;
  /** Lets in every operator with a session. @throws Refusal UNAUTHENTICATED, PASSWORD_CHANGE_REQUIRED */
  readonly signedIn: Guard<Operator>;
  /** As `signedIn`, also who must change the password first. @throws Refusal UNAUTHENTICATED */
  readonly signedInBeforePasswordChange: Guard<Operator>;
}

export interface OperatorGuardOptions {
  /** The session of a Bearer token. */
  readonly findSession: (token: string) => Promise<OperatorSession | null>;
  /** Break-glass key (`X-Admin-Key`); null: there is none. */
  readonly adminKey: string | null;
  /** Told of every use and every refusal of the break-glass key; a use counts once it is recorded. */
  readonly breakGlass: {
    used(context: RequestContext): Promise<void>;
    refused(context: RequestContext): void;
  };
  /** Without any credential a SUPER_ADMIN: the development profile without a break-glass key. */
  readonly openToAll: boolean;
}

const security = ['operatorSession', 'adminKey'] as const;
const actorOf = ({ id }: Operator): Actor => ({ kind: 'operator', id });

/**
 * Who may call `/v3/admin`, in the order of the specification (Authentication, Operator API): Bearer token, then
 * break-glass key, then nobody at all where that is allowed. A credential that is sent and wrong is never passed over.
 */
export function createOperatorGuards(options: OperatorGuardOptions): OperatorGuards {
  const { findSession, adminKey, breakGlass, openToAll } = options;

  async function operatorOf(context: RequestContext): Promise<Operator> {
    const sentKey = context.headers['x-admin-key'];
    if (context.headers.authorization !== undefined) return bearer(context);
    if (sentKey !== undefined) return keyHolder(context, sentKey);
    if (openToAll) return { id: 'development', role: 'SUPER_ADMIN', session: null };
    throw unauthenticated();
  }

  async function bearer(context: RequestContext): Promise<Operator> {
    const session = await findSession(operatorToken(context));
    if (session === null) throw unauthenticated();
    const { operatorId: id, role } = session.operator;
    return { id, role, session };
  }

  async function keyHolder(context: RequestContext, sent: string | string[]): Promise<Operator> {
    const isRight = adminKey !== null && typeof sent === 'string' && equalSecrets(sent, adminKey);
    if (!isRight) {
      breakGlass.refused(context);
      throw unauthenticated();
    }
    await breakGlass.used(context);
    return { id: 'break-glass', role: 'SUPER_ADMIN', session: null };
  }

  async function readyOperator(context: RequestContext): Promise<Operator> {
    const operator = await operatorOf(context);
    context.identified?.(actorOf(operator));
    if (operator.session?.operator.mustChangePassword === true) {
      throw new Refusal('PASSWORD_CHANGE_REQUIRED');
    }
    return operator;
  }

  return {
    signedIn: { description: 'operator', security, check: readyOperator, actorOf },
    signedInBeforePasswordChange: { description: 'operator', security, check: operatorOf, actorOf },
    withCapability: (capability) => ({
      description: `operator with ${capability}`,
      capability,
      security,
      check: async (context) => {
        const operator = await readyOperator(context);
        if (hasCapability(operator.role, capability)) return operator;
        throw new Refusal('PERMISSION_DENIED', {
          detail: `The permission ${capability} is needed for this operation.`,
        });
      },
      actorOf,
    }),
  };
}

/**
 * The one Bearer token of a request. Two `Authorization` headers are none: a proxy may have looked at the other.
 *
 * @throws Refusal UNAUTHENTICATED
 */
export function operatorToken(context: RequestContext): string {
  const token = /^Bearer +(\S+) *$/i.exec(context.headers.authorization ?? '')?.[1];
  if (token === undefined || context.headerCount('authorization') !== 1) throw unauthenticated();
  return token;
}

function unauthenticated(): Refusal {
  return new Refusal('UNAUTHENTICATED', {
    detail: 'Sign in and send Authorization: Bearer <session token>.',
  });
}

/** The context of a command an operator gives. @param about what it is done to: correlates its events */
export function byOperator(
  context: RequestContext,
  operator: Operator,
  about: string,
): CommandContext {
  return commandContext(context, actorOf(operator), about);
}
