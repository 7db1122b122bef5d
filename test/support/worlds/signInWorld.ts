import { HOTP, Secret } from 'otpauth';
import { createIsFamiliarNetwork } from '../../../application/operator/familiarNetworks.ts';
import { seedOperator } from '../../../application/operator/administration.ts';
import {
  createFindOperatorSession,
  createOperatorDirectory,
  createOperatorTokens,
  createSecondFactors,
} from '../../../application/operator/operators.ts';
import {
  confirmSecondFactor,
  signIn,
  type SignInDependencies,
  type SignInLimits,
} from '../../../application/operator/signIn.ts';
import { createSignOut } from '../../../application/operator/signOut.ts';
import { createSignInJournal } from '../../../application/operator/signInJournal.ts';
import type { CommandContext } from '../../../application/handleCommand.ts';
import type { AttemptLimits } from '../../../application/ports/attemptLimits.ts';
import { createScryptPasswords } from '../../../infrastructure/credentials/scryptPasswords.ts';
import { createTotpCodes } from '../../../infrastructure/credentials/totpCodes.ts';
import { createMemoryAttemptLimits } from '../../../infrastructure/system.ts';
import { memoryEndedSessions } from '../doubles/memoryEndedSessions.ts';
import { givenInMemory } from '../given/inMemory.ts';
import { memoryAggregateCache } from '../doubles/memoryPorts.ts';

/** An operator every world has. */
export const bat = {
  email: 'bat@tamga.example',
  password: 'a password of Bat',
  role: 'SUPER_ADMIN',
} as const;

/** Only the address matters here, not the actor. */
export function requestFrom(ip: string): CommandContext {
  const id = '00000000-0000-4000-8000-000000000001';
  const actor = { kind: 'operator', id: 'unauthenticated' } as const;
  return { actor, correlationId: id, causationId: id, requestId: id, ip };
}

/** Sign-in over a log in memory, which several processes may share; the clock is turned by hand. */
export function signInWorld() {
  const { clock, eventStore, randomness, staleness, stores, vault } = givenInMemory();
  const passwords = createScryptPasswords({ cost: { ln: 4, r: 8, p: 1 } });
  const codes = createTotpCodes({ issuer: 'Tamga' });
  const ended = memoryEndedSessions();

  /** State of one process of the installation. */
  function startProcess() {
    const cache = memoryAggregateCache<never>();
    const onFailure = (cause: unknown) => {
      throw cause;
    };
    const directory = createOperatorDirectory({
      ...stores,
      cache,
      onFailure,
      staleness,
    });
    const secondFactors = createSecondFactors({ ...stores, cache: memoryAggregateCache() });
    const journal = createSignInJournal({ ...stores, onFailure });
    const tokens = createOperatorTokens({ secret: 'a secret of the tests', clock });
    const asked: string[] = [];
    const results: string[] = [];
    const limit = (attempts: number): AttemptLimits => {
      const limits = createMemoryAttemptLimits({ attempts, now: () => clock.now().getTime() });
      return {
        ...limits,
        attempt: (key) => {
          asked.push(key);
          return limits.attempt(key);
        },
      };
    };
    const limits: SignInLimits = {
      address: limit(30),
      emailFromAddress: limit(5),
      email: limit(50),
      codeAddress: limit(30),
      operator: limit(10),
    };
    const findSession = createFindOperatorSession(tokens, { directory, ended });
    const dependencies: SignInDependencies = {
      directory,
      ended,
      secondFactors,
      passwords,
      codes,
      tokens,
      limits,
      isFamiliarNetwork: createIsFamiliarNetwork({ eventStore, vault, clock }),
      journal,
      vault,
      clock,
      randomness,
      onResult: (step, result) => results.push(`${step} ${result}`),
    };
    return {
      dependencies,
      directory,
      journal,
      tokens,
      asked,
      results,
      findSession,
      signOut: createSignOut({ findSession, ended, journal, clock }),
      signIn: (email: string = bat.email, password: string = bat.password, ip = '192.0.2.1') =>
        signIn(dependencies, { email, password }, requestFrom(ip)),
      confirm: (token: string, code: string, ip = '192.0.2.1') =>
        confirmSecondFactor(dependencies, { token, code }, requestFrom(ip)),
      seed: () =>
        seedOperator({ directory, passwords, clock, randomness }, bat, requestFrom('192.0.2.1')),
    };
  }

  return {
    eventStore,
    clock,
    vault,
    startProcess,
    /** One-time code of an authenticator with this secret, now or steps of 30 s from now. */
    codeOf: (secret: string, steps = 0) =>
      new HOTP({ secret: Secret.fromBase32(secret) }).generate({
        counter: Math.floor(clock.now().getTime() / 30_000) + steps,
      }),
    /** Types of the events so far, those named left out. */
    happened: (...without: readonly string[]) =>
      eventStore.events.map(({ event }) => event.type).filter((type) => !without.includes(type)),
  };
}

export type SignInWorld = ReturnType<typeof signInWorld>;
export type SignInProcess = ReturnType<SignInWorld['startProcess']>;
