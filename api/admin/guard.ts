import {
  countAttempt,
  limitReached,
  type NamedLimit,
  networkOf,
} from '../../application/attempts.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import type { OperatorSession } from '../../application/operator/operators.ts';
import type { AttemptLimits } from '../../application/ports/attemptLimits.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { Actor } from '../../application/ports/eventStore.ts';
import {
  type Capability,
  hasCapability,
  type OperatorRole,
} from '../../domain/operator/capabilities.ts';
import { BREAK_GLASS, DEVELOPMENT } from '../../domain/shared/operatorIdentities.ts';
import { equalSecrets } from '../../domain/shared/digest.ts';
import { isLoopback } from '../../domain/shared/hosts.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { commandContext } from '../http/handling.ts';
import type { Guard, RequestContext } from '../http/route.ts';

/** Authenticated caller of the operator API. */
export interface Operator {
  /** Id of the operator; `break-glass` and `development` for callers without an account. */
  readonly id: string;
  readonly role: OperatorRole;
  /** Null for callers without an account. */
  readonly session: OperatorSession | null;
}

export interface OperatorGuards {
  /**
   * Admits callers with the capability. @throws Refusal UNAUTHENTICATED, PASSWORD_CHANGE_REQUIRED,
   * PERMISSION_DENIED
   */
  withCapability(capability: Capability): Guard<Operator>;
  /**
   * Admits every operator with a session. @throws Refusal UNAUTHENTICATED, PASSWORD_CHANGE_REQUIRED
   */
  readonly signedIn: Guard<Operator>;
  /**
   * Admits every operator with a session, also before a required change of password. @throws
   * Refusal UNAUTHENTICATED
   */
  readonly signedInBeforePasswordChange: Guard<Operator>;
}

export interface OperatorGuardOptions {
  /** Looks up the session of a Bearer token. */
  readonly findSession: (token: string) => Promise<OperatorSession | null>;
  /** Break-glass key (`X-Admin-Key`); null: disabled. */
  readonly adminKey: string | null;
  /**
   * Records every use and every refusal of the break-glass key; a use counts once it is recorded.
   */
  readonly breakGlass: {
    used(context: RequestContext): Promise<void>;
    refused(context: RequestContext): void;
    throttled(context: RequestContext): void;
  };
  /** Wrong keys per address, as wrong passwords. */
  readonly keyLimit: AttemptLimits;
  readonly clock: Clock;
  /**
   * Treats callers without a credential as SUPER_ADMIN: development profile without a break-glass
   * key.
   */
  readonly openToAll: boolean;
  /** False while a restored backup is not accepted: sessions alone count. Default: always true. */
  readonly isOpen?: () => boolean;
}

/** Limit of wrong break-glass keys. */
const wrongKeys: NamedLimit = {
  what: 'Too many break-glass keys were tried from your network.',
  setting: 'SVC_ADMIN_ATTEMPTS_PER_ADDRESS',
};

const security = ['operatorSession', 'adminKey'] as const;
const actorOf = ({ id }: Operator): Actor => ({ kind: 'operator', id });

/**
 * Guards of `/v3/admin`. Credentials in the order of the specification (Authentication, Operator
 * API): Bearer token, break-glass key, then none where that is allowed. An invalid credential is
 * refused, never skipped.
 */
export function createOperatorGuards(options: OperatorGuardOptions): OperatorGuards {
  const { findSession, adminKey, breakGlass, keyLimit, clock, openToAll } = options;
  const { isOpen = () => true } = options;

  async function operatorOf(context: RequestContext): Promise<Operator> {
    const sentKey = context.headers['x-admin-key'];
    if (context.headers.authorization !== undefined) return bearer(context);
    if (!isOpen()) throw unauthenticated();
    if (sentKey !== undefined) return keyHolder(context, sentKey);
    if (openToAll) {
      expectThisMachine(context);
      return { id: DEVELOPMENT, role: 'SUPER_ADMIN', session: null };
    }
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
    // A right key is refused as well after too many wrong ones: it would tell a guesser which it was.
    const from = `break-glass ${networkOf(context.ip)}`;
    const seconds = await (isRight ? keyLimit.wait(from) : countAttempt(keyLimit, from));
    if (seconds > 0) {
      breakGlass.throttled(context);
      throw limitReached(wrongKeys, seconds, clock.now());
    }
    if (!isRight) {
      breakGlass.refused(context);
      throw unauthenticated();
    }
    await breakGlass.used(context);
    return { id: BREAK_GLASS, role: 'SUPER_ADMIN', session: null };
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
 * Bearer token of a request. Repeated `Authorization` headers are refused: a proxy may have checked
 * the other one.
 *
 * @throws Refusal UNAUTHENTICATED
 */
export function operatorToken(context: RequestContext): string {
  const token = /^Bearer +(\S+) *$/i.exec(context.headers.authorization ?? '')?.[1];
  if (token === undefined || context.headerCount('authorization') !== 1) throw unauthenticated();
  return token;
}

/**
 * Refuses what another site's page sends through the developer's browser: by a name of its own that
 * leads here (DNS rebinding), or across sites.
 */
function expectThisMachine({ headers }: RequestContext): void {
  const { host, origin } = headers;
  const isForeign =
    headers['sec-fetch-site'] === 'cross-site' ||
    !isThisMachine(`http://${host ?? ''}`) ||
    (origin !== undefined && !isThisMachine(origin));
  if (!isForeign) return;
  throw new Refusal('PERMISSION_DENIED', {
    detail:
      'Without a credential, only pages and programs on this machine are admitted, through localhost. Sign in, or set SVC_ADMIN_API_KEY.',
  });
}

function isThisMachine(address: string): boolean {
  return URL.canParse(address) && isLoopback(new URL(address).hostname);
}

function unauthenticated(): Refusal {
  return new Refusal('UNAUTHENTICATED', {
    detail: 'Sign in and send Authorization: Bearer <session token>.',
  });
}

/** Command context of an operator. @param about id of the target, which correlates the events */
export function byOperator(
  context: RequestContext,
  operator: Operator,
  about: string,
): CommandContext {
  return commandContext(context, actorOf(operator), about);
}
