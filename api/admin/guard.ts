import type { Actor } from '../../application/ports/eventStore.ts';
import {
  type Capability,
  hasCapability,
  type OperatorRole,
} from '../../domain/operator/capabilities.ts';
import { equalSecrets } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { Guard, RequestContext } from '../http/route.ts';

/** Who calls the operator API. */
export interface Operator {
  /** The operator's id; `break-glass` and `development` for those who are no operators. */
  readonly id: string;
  readonly role: OperatorRole;
}

export interface OperatorGuards {
  /** Lets in who has the capability. @throws Refusal UNAUTHENTICATED, PERMISSION_DENIED */
  withCapability(capability: Capability): Guard<Operator>;
  /** Lets in every operator with a session. @throws Refusal UNAUTHENTICATED */
  readonly signedIn: Guard<Operator>;
}

export interface OperatorGuardOptions {
  /** Break-glass key (`X-Admin-Key`); null: there is none. */
  readonly adminKey: string | null;
  /** Without any credential a SUPER_ADMIN: the development profile without a break-glass key. */
  readonly openToAll: boolean;
}

const security = ['operatorSession', 'adminKey'] as const;

/** Who may call `/v3/admin`, in the order of the specification (Authentication, Operator API). */
export function createOperatorGuards({ adminKey, openToAll }: OperatorGuardOptions) {
  function operatorOf({ headers }: RequestContext): Operator {
    const sent = headers['x-admin-key'];
    if (adminKey !== null && typeof sent === 'string' && equalSecrets(sent, adminKey)) {
      return { id: 'break-glass', role: 'SUPER_ADMIN' };
    }
    const credentials = sent !== undefined || headers.authorization !== undefined;
    if (openToAll && !credentials) return { id: 'development', role: 'SUPER_ADMIN' };
    throw new Refusal('UNAUTHENTICATED', {
      detail: 'Sign in and send Authorization: Bearer <session token>.',
    });
  }

  const actorOf = ({ id }: Operator): Actor => ({ kind: 'operator', id });
  const guards: OperatorGuards = {
    signedIn: { description: 'operator', security, check: operatorOf, actorOf },
    withCapability: (capability) => ({
      description: `operator with ${capability}`,
      security,
      check: (context) => {
        const operator = operatorOf(context);
        if (hasCapability(operator.role, capability)) return operator;
        throw new Refusal('PERMISSION_DENIED', {
          detail: `The permission ${capability} is needed for this operation.`,
        });
      },
      actorOf,
    }),
  };
  return guards;
}
