import { accountRoutes } from '../../api/admin/accountRoutes.ts';
import { adminRoutes } from '../../api/admin/adminRoutes.ts';
import { authRoutes } from '../../api/admin/authRoutes.ts';
import { createOperatorGuards } from '../../api/admin/guard.ts';
import { commandContext } from '../../api/http/handling.ts';
import type { RequestContext } from '../../api/http/route.ts';
import { createReviewsNewOperator } from '../../application/approval/operatorOperations.ts';
import type { Submit } from '../../application/approval/submitCommand.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import {
  addOperator,
  deactivateOperator,
  type NewOperator,
  resetOperator,
  seedOperator,
} from '../../application/operator/administration.ts';
import { alwaysReviewed } from '../../domain/approval/events.ts';
import { createIsFamiliarNetwork } from '../../application/operator/familiarNetworks.ts';
import {
  createFindOperatorSession,
  createOperatorTokens,
  createRoleOf,
} from '../../application/operator/operators.ts';
import { createSignOut } from '../../application/operator/signOut.ts';
import {
  confirmSecondFactor,
  signIn,
  type SignInDependencies,
  type SignInLimits,
} from '../../application/operator/signIn.ts';
import { createSignInJournal } from '../../application/operator/signInJournal.ts';
import type { AttemptLimits } from '../../application/ports/attemptLimits.ts';
import { BREAK_GLASS, DEVELOPMENT } from '../../domain/shared/operatorIdentities.ts';
import { operatorByEmail, type OperatorRecord } from '../../domain/operator/operators.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import {
  createScryptPasswords,
  owaspCost,
} from '../../infrastructure/credentials/scryptPasswords.ts';
import { createTotpCodes } from '../../infrastructure/credentials/totpCodes.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createPostgresEndedSessions } from '../../infrastructure/postgres/endedSessions.ts';
import { createRedisAttemptLimits } from '../../infrastructure/redis/redisAttemptLimits.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';
import { createMemoryAttemptLimits } from '../../infrastructure/system.ts';
import { createLastSignIns } from '../../projections/lastSignIns.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';

/** Administration of operators on the machine itself. */
export interface OperatorsOnTheMachine {
  /** @throws Refusal OPERATOR_EMAIL_TAKEN, INVALID_REQUEST */
  add(operator: NewOperator): Promise<OperatorRecord>;
  /** Resets the password and the authenticator enrolment. @throws Refusal OPERATOR_NOT_FOUND, CONFLICT */
  reset(email: string, password: string): Promise<void>;
  /** @throws Refusal OPERATOR_NOT_FOUND, LAST_SUPER_ADMIN */
  deactivate(email: string): Promise<void>;
  /** @throws Refusal OPERATOR_NOT_FOUND, LAST_SUPER_ADMIN */
  deactivateById(operatorId: string): Promise<void>;
  list(): Promise<readonly OperatorRecord[]>;
}

/**
 * The operator with this password and code of their authenticator.
 *
 * @throws Refusal SIGN_IN_FAILED, SECOND_FACTOR_WRONG, RATE_LIMITED
 */
export type ProveOperator = (proof: {
  readonly email: string;
  readonly password: string;
  readonly code: string;
}) => Promise<OperatorRecord>;

/** Operators: accounts, login, permissions. */
export function composeOperators({ config, foundation, aggregates }: Core) {
  const { clock, randomness, eventStore, vault, metrics, log, database, pool } = foundation;
  const { operators: directory, secondFactors } = aggregates;
  const adminKey = config.SVC_ADMIN_API_KEY ?? null;
  const secret = config.SVC_ADMIN_TOKEN_SECRET;
  const tokens =
    secret === undefined
      ? null
      : createOperatorTokens({
          secret,
          clock,
          countsSince: foundation.restoreGate.countsSince,
        });
  const passwords = createScryptPasswords({
    cost: { ...owaspCost, ln: config.SVC_ADMIN_PASSWORD_COST },
  });
  const administering = { directory, passwords, clock, randomness };
  const limits = signInLimits(config.SVC_ADMIN_ATTEMPTS_PER_ADDRESS, foundation);
  const ended = createPostgresEndedSessions(pool);
  const sessions = { directory, ended };
  const findSession = createFindOperatorSession(tokens, sessions);
  const journal = createSignInJournal({
    eventStore,
    clock,
    randomness,
    onFailure: (cause) =>
      log.error({ err: cause }, 'A login attempt could not be recorded in the log.'),
  });

  const by = (id: string, context: RequestContext) =>
    commandContext(context, { kind: 'operator', id }, context.requestId);
  const openToAll = config.SVC_PROFILE === 'development' && adminKey === null;
  const guards = createOperatorGuards({
    findSession,
    adminKey,
    openToAll,
    isOpen: foundation.restoreGate.isOpen,
    keyLimit: limits.address,
    clock,
    breakGlass: {
      async used(context) {
        const { requestId, ip, method } = context;
        log.warn({ requestId, ip, method }, 'The break-glass key was used.');
        metrics.operatorSignIn('BREAK_GLASS', 'OK');
        await journal.breakGlassUsed(by(BREAK_GLASS, context));
      },
      throttled({ requestId, ip }) {
        log.warn(
          { requestId, ip },
          'Break-glass keys from an address are refused, because it sent wrong ones.',
        );
        metrics.operatorSignIn('BREAK_GLASS', 'THROTTLED');
      },
      refused(context) {
        const { requestId, ip } = context;
        log.warn({ requestId, ip }, 'A wrong break-glass key was refused.');
        metrics.operatorSignIn('BREAK_GLASS', 'FAILED');
        journal.breakGlassRefused(by('unauthenticated', context));
      },
    },
  });

  const signingIn: SignInDependencies = {
    ...sessions,
    secondFactors,
    passwords,
    tokens,
    limits,
    isFamiliarNetwork: createIsFamiliarNetwork({ eventStore, vault, clock }),
    journal,
    vault,
    clock,
    randomness,
    mayEnrol: foundation.restoreGate.isOpen,
    codes: createTotpCodes({ issuer: config.SVC_PKI_OPERATOR_NAME }),
    onResult: (step, result) => metrics.operatorSignIn(step, result),
  };

  const module: ServiceModule = {
    routes: [
      ...authRoutes({
        guards,
        signOut: createSignOut({ findSession, ended, journal, clock }),
        signingIn,
        passwords: { directory, passwords, journal, clock, limit: limits.operator },
      }),
      ...accountRoutes(guards, {
        ...publicAddresses(config),
        hasAssistant: config.ANTHROPIC_API_KEY !== undefined,
        reviewedCommands: config.SVC_ADMIN_REQUIRE_4EYES
          ? [...alwaysReviewed, ...config.SVC_ADMIN_4EYES_COMMANDS]
          : [],
      }),
    ],
    async start() {
      const { SVC_ADMIN_SEED_EMAIL: email, SVC_ADMIN_SEED_PASSWORD: password } = config;
      if (email === undefined || password === undefined) return;
      const id = randomness.uuid();
      await seedOperator(
        administering,
        { email, password, role: config.SVC_ADMIN_SEED_ROLE },
        {
          actor: { kind: 'system', id: 'configuration' },
          correlationId: id,
          causationId: id,
          requestId: null,
          ip: null,
        },
      );
    },
    stop: () => journal.settle(),
  };

  async function idOf(email: string): Promise<string> {
    const operator = operatorByEmail(await directory.current(), email);
    if (operator === undefined) throw new Refusal('OPERATOR_NOT_FOUND');
    return operator.operatorId;
  }

  const administration = (context: () => CommandContext): OperatorsOnTheMachine => ({
    add: (operator) => addOperator(administering, operator, context()),
    reset: async (email, password) => {
      const operatorId = await idOf(email);
      await resetOperator(administering, { operatorId, password }, context());
    },
    deactivate: async (email) => deactivateOperator(administering, await idOf(email), context()),
    deactivateById: async (operatorId) => deactivateOperator(administering, operatorId, context()),
    list: async () => [...(await directory.current()).values()],
  });

  const letIn = [...(adminKey === null ? [] : [BREAK_GLASS]), ...(openToAll ? [DEVELOPMENT] : [])];

  /** @param submit executes commands that may require a second operator's approval */
  const administrationModule = (submit: Submit): ServiceModule => ({
    routes: adminRoutes(guards, {
      ...administering,
      submit,
      reviewsNew: createReviewsNewOperator({ required: config.SVC_ADMIN_REQUIRE_4EYES }, directory),
      lastSignIns: failingFast(createLastSignIns(database)),
    }),
  });

  /** Lets operators prove who they are to a command: the tokens between the two steps are of this process alone. */
  const proving = (context: () => CommandContext): ProveOperator => {
    const ownTokens = createOperatorTokens({ secret: randomness.bytes(32).toString('hex'), clock });
    const steps = { ...signingIn, tokens: ownTokens };
    return async ({ email, password, code }) => {
      const first = await signIn(steps, { email, password }, context());
      if (first.enrolment !== null) throw new Refusal('SECOND_FACTOR_WRONG');
      return (await confirmSecondFactor(steps, { token: first.token, code }, context())).operator;
    };
  };

  return {
    module,
    administrationModule,
    guards,
    administration,
    proving,
    roleOf: createRoleOf(directory, letIn),
    findSession,
    sessions,
  };
}

/** Per fifteen minutes; shared by all processes with Redis. */
function signInLimits(perAddress: number, { redis }: Core['foundation']): SignInLimits {
  const limit = (attempts: number): AttemptLimits =>
    redis === null
      ? createMemoryAttemptLimits({ attempts })
      : createRedisAttemptLimits({ redis: redis.client, attempts });
  return {
    address: limit(perAddress),
    emailFromAddress: limit(5),
    email: limit(50),
    codeAddress: limit(perAddress),
    operator: limit(10),
  };
}
