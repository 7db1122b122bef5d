import pkcs11js from 'pkcs11js';
import { Misconfigured, Overloaded, Unavailable } from '../../application/ports/faults.ts';

export interface Pkcs11TokenOptions {
  /** Path of the PKCS#11 module (shared library). */
  readonly modulePath: string;
  /** The token is found by its label, whatever slot it is in. */
  readonly tokenLabel: string;
  readonly pin: string;
  /** Logs in although a wrong PIN was entered since the last login; default false. */
  readonly loginAnyway?: boolean;
  /** Sessions used in parallel; default 4. */
  readonly sessions?: number;
  /** Operations waiting for a session at most; default 2,000. */
  readonly maxWaiting?: number;
  /** Timeout of an operation, ms; default 5,000. */
  readonly timeoutMs?: number;
  /** Pause after a failed connection before the next attempt, ms; default 500. */
  readonly reconnectMs?: number;
}

type Handle = Buffer;

/** One session, borrowed for one operation at a time. */
export interface TokenSession {
  readonly module: pkcs11js.PKCS11;
  readonly handle: Handle;
  /** Identifies this connection to the token; object handles are valid within it only. */
  readonly connection: object;
}

/** Connection to one token: a pool of logged-in sessions, reopened after the token or a session was lost. */
export interface Pkcs11Token {
  /**
   * Runs one operation in a session of its own; retries once when the first session was lost.
   *
   * @throws Unavailable(keyVault) when the module or token does not answer
   * @throws Overloaded when too many operations wait; nothing was done
   * @param withinMs timeout of this operation, ms; default that of all
   */
  use<T>(operation: (session: TokenSession) => Promise<T>, withinMs?: number): Promise<T>;
  /** Closes the sessions. */
  stop(): void;
}

interface Connection {
  readonly module: pkcs11js.PKCS11;
  readonly idle: Handle[];
  /** Session handles are invalid, or reused already: they must not be closed. */
  handlesDied: boolean;
}

interface LentSession extends TokenSession {
  readonly connection: Connection;
}

interface Waiter {
  readonly take: (session: LentSession) => void;
  readonly fail: (error: unknown) => void;
}

/** Creates the token; the first operation loads the module and connects. */
export function createPkcs11Token(options: Pkcs11TokenOptions): Pkcs11Token {
  const { sessions = 4, maxWaiting = 2000, timeoutMs = 5000, reconnectMs = 500 } = options;
  const waiting: Waiter[] = [];
  let connection: Connection | undefined;
  let lent = 0;
  let lastFailure: { readonly at: number; readonly error: Unavailable } | undefined;

  function connect(): Connection {
    if (connection !== undefined) return connection;
    if (lastFailure !== undefined) {
      const isRecent = performance.now() - lastFailure.at < reconnectMs;
      // Repeated attempts with a wrong PIN would lock the token.
      if (isRecent || lastFailure.error.cause instanceof Misconfigured) throw lastFailure.error;
    }
    try {
      connection = open(options, sessions, () => lent === 0);
      lastFailure = undefined;
      return connection;
    } catch (error) {
      lastFailure = { at: performance.now(), error: new Unavailable('keyVault', error) };
      throw lastFailure.error;
    }
  }

  async function borrow(): Promise<LentSession> {
    const current = connect();
    const handle = current.idle.pop();
    if (handle !== undefined) return { module: current.module, handle, connection: current };
    if (waiting.length >= maxWaiting) throw new Overloaded('key vault operations');
    return new Promise((take, fail) => waiting.push({ take, fail }));
  }

  function giveBack(session: LentSession): void {
    if (connection !== session.connection) {
      if (!session.connection.handlesDied) closeSession(session.module, session.handle);
      return;
    }
    const next = waiting.shift();
    if (next === undefined) connection.idle.push(session.handle);
    else next.take(session);
  }

  /** Discards the connection; the next operation opens a new one, which also serves the waiting. */
  function drop(lost: Connection, error: unknown): void {
    if (connection !== lost) return;
    connection = undefined;
    lost.handlesDied = isOneOf(error, handleErrors);
    if (!lost.handlesDied) close(lost);
    for (const waiter of waiting.splice(0)) borrow().then(waiter.take, waiter.fail);
  }

  async function attempt<T>(
    operation: (session: TokenSession) => Promise<T>,
    withinMs: number,
  ): Promise<T> {
    const session = await borrow();
    lent += 1;
    const running = (async () => operation(session))();
    try {
      return await withTimeout(running, withinMs);
    } catch (error) {
      if (error instanceof TimedOut || isOneOf(error, connectionErrors)) {
        drop(session.connection, error);
      }
      throw error;
    } finally {
      // Runs when the operation has finished: after a timeout it still uses the session.
      const over = () => {
        lent -= 1;
        giveBack(session);
      };
      running.then(over, over);
    }
  }

  return {
    async use(operation, withinMs = timeoutMs) {
      try {
        return await attempt(operation, withinMs);
      } catch (error) {
        // After a timeout the operation may still be running: a retry could generate two keys.
        if (error instanceof TimedOut) throw new Unavailable('keyVault', error);
        if (!isOneOf(error, connectionErrors)) throw error;
      }
      try {
        return await attempt(operation, withinMs);
      } catch (error) {
        const isOutage = error instanceof TimedOut || isOneOf(error, connectionErrors);
        throw isOutage ? new Unavailable('keyVault', error) : error;
      }
    },
    stop() {
      if (connection !== undefined) close(connection);
      connection = undefined;
      for (const { fail } of waiting.splice(0)) fail(new Unavailable('keyVault'));
    },
  };
}

/**
 * Loads the module, finds the token, opens and logs in the sessions.
 *
 * @param isUnused true while no operation uses the module, so that it may be reinitialised
 * @throws pkcs11js errors
 */
function open(options: Pkcs11TokenOptions, sessions: number, isUnused: () => boolean): Connection {
  const module = new pkcs11js.PKCS11();
  module.load(options.modulePath);
  try {
    return connectTo(module, options, sessions);
  } catch (error) {
    if (!isUnused() || error instanceof Misconfigured) throw error;
    // Some modules, SoftHSM2 among them, find a token that reappeared only after reinitialisation.
    ignoring(connectionErrors, () => module.C_Finalize());
    return connectTo(module, options, sessions);
  }
}

function connectTo(
  module: pkcs11js.PKCS11,
  { tokenLabel, pin, loginAnyway = false }: Pkcs11TokenOptions,
  sessions: number,
): Connection {
  ignoring(new Set([pkcs11js.CKR_CRYPTOKI_ALREADY_INITIALIZED]), () =>
    module.C_Initialize({ flags: pkcs11js.CKF_OS_LOCKING_OK }),
  );
  const slot = module
    .C_GetSlotList(true)
    .find((candidate) => module.C_GetTokenInfo(candidate).label.trimEnd() === tokenLabel);
  if (slot === undefined)
    throw new Error(`No PKCS#11 token has the label ${tokenLabel}: check SVC_PKCS11_TOKEN.`);
  const flags = pkcs11js.CKF_SERIAL_SESSION | pkcs11js.CKF_RW_SESSION;
  const connection: Connection = { module, idle: [], handlesDied: false };
  try {
    while (connection.idle.length < sessions) {
      const session = module.C_OpenSession(slot, flags);
      connection.idle.push(session);
      // Sessions of one process share the login.
      if (connection.idle.length === 1) {
        ignoring(new Set([pkcs11js.CKR_USER_ALREADY_LOGGED_IN]), () => {
          expectTries(module.C_GetTokenInfo(slot).flags, loginAnyway);
          logIn(module, session, pin);
        });
      }
    }
    return connection;
  } catch (error) {
    close(connection);
    throw error;
  }
}

/**
 * Refuses to log in where a wrong PIN might lock the token. The token itself remembers the last wrong PIN, whichever
 * process entered it, so that no number of processes and restarts uses its tries up.
 *
 * @throws Misconfigured
 */
function expectTries(flags: number, loginAnyway: boolean): void {
  if ((flags & pkcs11js.CKF_USER_PIN_LOCKED) !== 0) {
    throw new Misconfigured(
      'The token is locked after too many wrong PINs. Have its security officer set a new PIN, then set SVC_PKCS11_PIN.',
    );
  }
  const isFinal = (flags & pkcs11js.CKF_USER_PIN_FINAL_TRY) !== 0;
  if (loginAnyway || (!isFinal && (flags & pkcs11js.CKF_USER_PIN_COUNT_LOW) === 0)) return;
  throw new Misconfigured(
    `A wrong PIN was entered into the token${isFinal ? ', and one more would lock it' : ''}, so no login is tried. Make sure that SVC_PKCS11_PIN is right, then start once with SVC_PKCS11_LOGIN_ANYWAY=true, or log in with the tools of the token.`,
  );
}

/** @throws Misconfigured for a PIN that the token refuses; pkcs11js errors */
function logIn(module: pkcs11js.PKCS11, session: Handle, pin: string): void {
  try {
    module.C_Login(session, pkcs11js.CKU_USER, pin);
  } catch (error) {
    if (!isOneOf(error, pinErrors)) throw error;
    const { message } = error as Error;
    throw new Misconfigured(
      `The token refused SVC_PKCS11_PIN (${message}). It is not retried. Correct the PIN first.`,
      { cause: error },
    );
  }
}

/** Closes the idle sessions. The module stays loaded: borrowed sessions are still in use. */
function close({ module, idle }: Connection): void {
  for (const handle of idle.splice(0)) closeSession(module, handle);
}

function closeSession(module: pkcs11js.PKCS11, handle: Handle): void {
  try {
    module.C_CloseSession(handle);
  } catch {
    // The session was lost already.
  }
}

function ignoring(codes: ReadonlySet<number>, call: () => void): void {
  try {
    call();
  } catch (error) {
    if (!isOneOf(error, codes)) throw error;
  }
}

/** Return values after which sessions and object handles are invalid (PKCS#11 2.40 §5.1). */
const connectionErrors: ReadonlySet<number> = new Set([
  pkcs11js.CKR_GENERAL_ERROR,
  pkcs11js.CKR_DEVICE_ERROR,
  pkcs11js.CKR_DEVICE_MEMORY,
  pkcs11js.CKR_DEVICE_REMOVED,
  pkcs11js.CKR_TOKEN_NOT_PRESENT,
  pkcs11js.CKR_TOKEN_NOT_RECOGNIZED,
  pkcs11js.CKR_SESSION_CLOSED,
  pkcs11js.CKR_SESSION_HANDLE_INVALID,
  pkcs11js.CKR_USER_NOT_LOGGED_IN,
  pkcs11js.CKR_CRYPTOKI_NOT_INITIALIZED,
  pkcs11js.CKR_KEY_HANDLE_INVALID,
  pkcs11js.CKR_OBJECT_HANDLE_INVALID,
  pkcs11js.CKR_OPERATION_ACTIVE,
]);

/** Return values that report invalid session handles. */
const handleErrors: ReadonlySet<number> = new Set([
  pkcs11js.CKR_SESSION_CLOSED,
  pkcs11js.CKR_SESSION_HANDLE_INVALID,
  pkcs11js.CKR_CRYPTOKI_NOT_INITIALIZED,
]);

/** Return values after which the PIN is not tried again. */
const pinErrors: ReadonlySet<number> = new Set([
  pkcs11js.CKR_PIN_INCORRECT,
  pkcs11js.CKR_PIN_INVALID,
  pkcs11js.CKR_PIN_LEN_RANGE,
  pkcs11js.CKR_PIN_EXPIRED,
  pkcs11js.CKR_PIN_LOCKED,
]);

function isOneOf(error: unknown, codes: ReadonlySet<number>): boolean {
  return error instanceof pkcs11js.Pkcs11Error && codes.has(error.code);
}

class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

function withTimeout<T>(operation: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new TimedOut('The token did not answer in time.')),
      timeoutMs,
    );
    operation.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
