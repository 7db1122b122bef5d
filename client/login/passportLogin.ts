import { addressOf, unexplained } from './endpoints.ts';
import { type ExpressHandler, expressLogin } from './expressLogin.ts';
import { type RequestWithSession, visitorOf } from './frameworkSession.ts';
import {
  CALLBACK_PATH,
  createLogin,
  type LoginOptions,
  type LoginStatus,
  type LoginUser,
} from './login.ts';

/** Calls that Passport adds to a strategy. */
export interface PassportActions {
  /** Logs the user in. */
  success(user: object): void;
  /** Answers that nobody is logged in. */
  fail(challenge: unknown, status: number): void;
  /** Hands an error on. */
  error(error: unknown): void;
}

/** A strategy of Passport. */
export interface PassportStrategy {
  /** Name for `passport.authenticate`. */
  readonly name: string;
  /** Addresses that start a login, for `app.use`: those of `expressLogin` without the ones that end it. */
  readonly addresses: ExpressHandler;
  /** Called by Passport. */
  authenticate(this: PassportActions, request: PassportRequest): void;
}

/** The part of a request that the strategy reads. */
export interface PassportRequest extends RequestWithSession {
  /** Path and query as requested. */
  readonly originalUrl: string;
}

/** Options of the strategy. */
export interface PassportLoginOptions extends LoginOptions {
  /** Finds your own user; null: not admitted. Default: the citizen. */
  readonly verify?: (user: LoginUser) => object | null | Promise<object | null>;
}

/**
 * Strategy of Passport, `tamga`: ends a login that its `addresses` started in the same session. Where {@link expressLogin}
 * is mounted instead, its `GET /login/status` and callback end logins, too, and ask no `verify`.
 *
 * `app.post('/login/finish', passport.authenticate('tamga'), …)` is answered with 202 while the citizen has not
 * answered: ask again. The same at `/auth/eid/callback` ends the way `app`.
 */
export function passportLogin({ verify, ...options }: PassportLoginOptions): PassportStrategy {
  const login = createLogin(options);
  const begin = expressLogin(options);
  const ending = [`${options.path ?? '/login'}/status`, CALLBACK_PATH];

  function statusOf(request: PassportRequest): Promise<LoginStatus> {
    const returned = addressOf(request.originalUrl);
    const visitor = visitorOf(request);
    return returned?.pathname === CALLBACK_PATH
      ? login.callback(visitor, returned)
      : login.status(visitor);
  }

  /** Logs out a citizen whom `verify` does not admit: the session has them already. */
  async function admitted(citizen: LoginUser, request: PassportRequest): Promise<object | null> {
    let user: object | null = null;
    try {
      user = verify === undefined ? citizen : await verify(citizen);
    } finally {
      if (user === null) await login.logout(visitorOf(request));
    }
    return user;
  }

  async function conclude(actions: PassportActions, request: PassportRequest): Promise<void> {
    const status = await statusOf(request);
    if (status.state !== 'OK') {
      const message = status.state === 'FAILED' ? status.reason : status.state;
      actions.fail({ message }, status.state === 'RUNNING' ? 202 : 401);
      return;
    }
    const user = await admitted(status.user, request);
    if (user === null) actions.fail({ message: 'NOT_ADMITTED' }, 403);
    else actions.success(user);
  }

  return {
    name: 'tamga',
    addresses(request, response, next) {
      if (ending.includes(addressOf(request.originalUrl)?.pathname ?? '')) next();
      else begin(request, response, next);
    },
    authenticate(request) {
      conclude(this, request).catch((error: unknown) => this.error(unexplained(error)));
    },
  };
}
