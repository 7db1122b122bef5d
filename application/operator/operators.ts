import type { OperatorEvent, SecondFactorUsed } from '../../domain/operator/events.ts';
import {
  type OperatorCommand,
  type OperatorRecord,
  type Operators,
  operatorsDecider,
} from '../../domain/operator/operators.ts';
import {
  secondFactorDecider,
  type UsedCodes,
  type UseSecondFactor,
} from '../../domain/operator/secondFactor.ts';
import {
  type AggregateFollower,
  type ClearableCache,
  createAggregateFollower,
} from '../followAggregate.ts';
import {
  type Aggregate,
  type AggregateDependencies,
  type CommandContext,
  createAggregate,
  type Handled,
} from '../handleCommand.ts';
import type { Staleness } from '../ports/staleness.ts';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import { equalSecrets, hmacSha256 } from '../../domain/shared/digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { EndedSessions } from './ports/endedSessions.ts';

/** Id of the only stream: `operators-all`. */
export const allOperators = 'all';

export interface OperatorDirectoryDependencies extends AggregateDependencies<Operators> {
  readonly cache: ClearableCache<Operators>;
  /** Called once when following the log failed; it is retried, and every query reads the whole stream meanwhile. */
  readonly onFailure: (cause: unknown) => void;
  /** Tells a follower that fell behind the log unnoticed. */
  readonly staleness: Pick<Staleness, 'covers'>;
}

/** All operators: those in memory, and what the log has since. */
export interface OperatorDirectory extends Pick<AggregateFollower, 'start' | 'stop'> {
  /**
   * The operators as the log has them by now: an ended right ends at every process at once.
   *
   * @throws Unavailable(eventStore)
   */
  current(): Promise<Operators>;
  /** @throws Refusal when the command is not allowed */
  handle(
    command: OperatorCommand,
    context: CommandContext,
  ): Promise<Handled<Operators, OperatorEvent>>;
}

/** Binds the operators to their store. Follows the log, so that little is read each time, and no state of a log that lost its end is kept. */
export function createOperatorDirectory(
  dependencies: OperatorDirectoryDependencies,
): OperatorDirectory {
  const { eventStore, cache, onFailure, staleness } = dependencies;
  const aggregate = createAggregate('operators', operatorsDecider, dependencies);
  const reload = (id: string) => aggregate.load(id, { trusts: () => false });
  const follower = createAggregateFollower<Operators, OperatorEvent>({
    eventStore,
    category: 'operators',
    decider: operatorsDecider,
    cache,
    onFailure,
    reload,
  });
  const isCurrent = () => follower.isFollowing() && staleness.covers(follower.position());
  return {
    start: () => follower.start(),
    stop: () => follower.stop(),
    current: async () =>
      (await (isCurrent() ? aggregate.refresh(allOperators) : reload(allOperators))).state,
    handle: (command, context) => aggregate.handle(allOperators, command, context),
  };
}

/** Role of an operator by id; null: no permissions (any more). External users keep theirs while their issuer accepts them. */
export type RoleOf = (operatorId: string) => Promise<OperatorRole | null>;

/** @param letIn ids that may everything without being in the directory */
export function createRoleOf(
  directory: Pick<OperatorDirectory, 'current'>,
  letIn: readonly string[],
): RoleOf {
  return async (id) => {
    if (letIn.includes(id)) return 'SUPER_ADMIN';
    const operator = (await directory.current()).get(id);
    return operator?.active === true ? operator.role : null;
  };
}

/** Used one-time codes of each operator, bound to their store. */
export type SecondFactors = Aggregate<UsedCodes, UseSecondFactor, SecondFactorUsed>;

export function createSecondFactors(dependencies: AggregateDependencies<UsedCodes>): SecondFactors {
  return createAggregate('secondFactor', secondFactorDecider, dependencies);
}

/** Scope of a token: the second login step, or everything else. */
export type TokenScope = 'mfa' | 'session';

export interface TokenClaims {
  readonly scope: TokenScope;
  readonly operatorId: string;
  /** Shared by both tokens of one login. */
  readonly sessionId: string;
  /** Epoch of the operator at the time of the password check: a later one invalidates the token. */
  readonly epoch: number;
  /** In mfa tokens of a first login: the secret to enrol, sealed. */
  readonly enrolment: string | null;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * Stateless tokens of operators: `b64url(payload).b64url(HMAC-SHA-256)` (specification, Authentication, Operator API).
 */
export interface OperatorTokens {
  issue(claims: TokenClaims): IssuedToken;
  /** Null: forged, expired, or of another scope. */
  read(token: string, scope: TokenScope): (TokenClaims & { readonly expiresAt: Date }) | null;
}

const lifeSeconds: Readonly<Record<TokenScope, number>> = { mfa: 5 * 60, session: 60 * 60 };

/** Time after which no token of a session is valid, ms; twice as long, for clocks that differ. */
export const longestSessionMs = 2 * lifeSeconds.session * 1000;

const LONGEST_TOKEN = 2048;

interface Payload {
  readonly scope: TokenScope;
  readonly sub: string;
  readonly sid: string;
  readonly epoch: number;
  readonly enr?: string;
  /** Seconds since 1970, as `exp`. */
  readonly iat: number;
  readonly exp: number;
}

/**
 * @param secret shared by all processes of the installation: at least 16 characters
 * @param countsSince time before which no token counts, whole seconds; default: none
 */
export function createOperatorTokens({
  secret,
  clock,
  countsSince = () => null,
}: {
  readonly secret: string;
  readonly clock: Clock;
  readonly countsSince?: () => Date | null;
}): OperatorTokens {
  const key = Buffer.from(secret, 'utf8');
  const sign = (payload: string) => `${payload}.${hmacSha256(key, payload).toString('base64url')}`;

  return {
    issue({ scope, operatorId, sessionId, epoch, enrolment }) {
      const iat = Math.floor(clock.now().getTime() / 1000);
      const exp = iat + lifeSeconds[scope];
      const enr = enrolment === null ? {} : { enr: enrolment };
      const payload: Payload = { scope, sub: operatorId, sid: sessionId, epoch, ...enr, iat, exp };
      const token = sign(Buffer.from(JSON.stringify(payload), 'utf8').toString('base64url'));
      return { token, expiresAt: new Date(exp * 1000) };
    },
    read(token, scope) {
      if (token.length > LONGEST_TOKEN) return null;
      const [encoded = ''] = token.split('.', 1);
      // Compares the whole text, so that a token has only one encoding.
      if (!equalSecrets(token, sign(encoded))) return null;
      const payload = parse(encoded);
      if (payload?.scope !== scope || payload.exp * 1000 <= clock.now().getTime()) return null;
      if (payload.iat * 1000 < (countsSince()?.getTime() ?? 0)) return null;
      return {
        scope,
        operatorId: payload.sub,
        sessionId: payload.sid,
        epoch: payload.epoch,
        enrolment: payload.enr ?? null,
        expiresAt: new Date(payload.exp * 1000),
      };
    },
  };
}

/** Null for a payload of another program with the same secret. */
function parse(encoded: string): Payload | null {
  try {
    const payload = JSON.parse(
      Buffer.from(encoded, 'base64url').toString('utf8'),
    ) as Partial<Payload> | null;
    const isOurs =
      typeof payload?.sub === 'string' &&
      typeof payload.sid === 'string' &&
      typeof payload.epoch === 'number' &&
      typeof payload.iat === 'number' &&
      typeof payload.exp === 'number';
    return isOurs ? (payload as Payload) : null;
  } catch {
    return null;
  }
}

/** An active session. */
export interface OperatorSession {
  readonly sessionId: string;
  readonly expiresAt: Date;
  /** Current record: a changed or revoked role applies at once. */
  readonly operator: OperatorRecord;
}

/** Finds the session of a token; null when it is over, forged, or not a session token. */
export type FindOperatorSession = (token: string) => Promise<OperatorSession | null>;

/** Knowledge of who is an operator, and of sessions that were signed out. */
export interface OperatorSessions {
  readonly directory: Pick<OperatorDirectory, 'current'>;
  readonly ended: Pick<EndedSessions, 'isEnded'>;
}

/** @param tokens null: operators cannot log in */
export function createFindOperatorSession(
  tokens: OperatorTokens | null,
  sessions: OperatorSessions,
): FindOperatorSession {
  return async (token) => {
    const claims = tokens?.read(token, 'session') ?? null;
    if (claims === null) return null;
    const operator = await operatorOf(sessions, claims);
    const { sessionId, expiresAt } = claims;
    return operator === undefined ? null : { sessionId, expiresAt, operator };
  };
}

/**
 * Operator of a token that was not invalidated: the one question for tokens of all kinds that name an operator's session.
 *
 * @throws Unavailable
 */
export async function operatorOf(
  { directory, ended }: OperatorSessions,
  { operatorId, epoch, sessionId }: Pick<TokenClaims, 'operatorId' | 'epoch' | 'sessionId'>,
): Promise<OperatorRecord | undefined> {
  const operator = (await directory.current()).get(operatorId);
  if (operator?.active !== true) return undefined;
  const isOfEpoch = operator.epoch === epoch || operator.keptSession === sessionId;
  return isOfEpoch && !(await ended.isEnded(sessionId)) ? operator : undefined;
}
