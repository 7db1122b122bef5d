import { randomBytes } from 'node:crypto';
import {
  checkCallback,
  type ClientError,
  ConfigurationError,
  type DeviceLinkSession,
  type EidClient,
  type EndResult,
  type Generation,
  type NotificationSession,
  SessionFailedError,
  type SessionResult,
  type Shown,
  signedDeviceLink,
  type ValidatedAuthentication,
  ValidationError,
} from '../index.ts';

/** Ways to the citizen's phone: a push to it, a QR code, or the app on the phone that shows the page. */
export type LoginWay = 'push' | 'qr' | 'app';

/** A citizen who is logged in: read from the certificate, never from the service's word. */
export interface LoginUser {
  /** `PNOMN-<civil id>`. */
  readonly etsi: string;
  /** Twelve digits. */
  readonly civilId: string;
  /** Given name; null when the certificate has none. */
  readonly firstName: string | null;
  /** Father's name; null when the certificate has none. */
  readonly lastName: string | null;
}

/** A login under way. */
export interface PendingLogin {
  /** Way to the phone. */
  readonly way: LoginWay;
  /** Session as it was started; of a device link with its secret. */
  readonly session: NotificationSession | DeviceLinkSession;
  /** Value in the callback that identifies the returning browser; empty: no callback. */
  readonly state: string;
}

/** Content of a visitor's session, plain data. It stays on the server, or is encrypted: `pending` may have a secret. */
export interface LoginState {
  /** Login under way; another replaces it. */
  readonly pending?: PendingLogin;
  /** Citizen who is logged in. */
  readonly user?: LoginUser;
}

/** Session of one visitor, as the web framework keeps it. */
export interface VisitorSession {
  /** Reads what was written last; undefined: nothing. */
  read(): LoginState | undefined | Promise<LoginState | undefined>;
  /** Writes it in the place of what was there. */
  write(state: LoginState): void | Promise<void>;
  /** Gives the visitor another session id, against session fixation. Absent where sessions have none. */
  renew?(): Promise<void>;
  /** Fetches what other requests wrote meanwhile; nothing when they ended the session. Absent where `read` does so. */
  reload?(): Promise<void>;
}

/** Options of a login. */
export interface LoginOptions {
  /** Client that asks the platform and validates its answers. */
  readonly client: EidClient;
  /** Text that the citizen is shown: with a push they choose the code of your page. Or interactions of your own. */
  readonly interactions: Shown;
  /** Origin of your site, for example `https://shop.example.mn`. Required for the way `app`. */
  readonly origin?: string;
  /** Path its addresses begin with; default `/login`. The callback is `/auth/eid/callback` whatever it is. */
  readonly path?: string;
  /** Path the browser is sent to after the callback of the way `app`; default `/`. */
  readonly home?: string;
  /** Generation of the protocol; default `G2`. The ways `qr` and `app` need it. */
  readonly generation?: Generation;
  /** Longest time that one question for the result waits, ms; default 10000. */
  readonly pollMs?: number;
  /** Told of an answer that said OK and must not be believed: keep it for an investigation. */
  readonly onNotBelieved?: (error: ValidationError, result: SessionResult) => void;
  /**
   * Told of each error of the service that the visitor is answered with a `reason` alone, for your log: of a
   * RateLimitedError `reason` says which limit it is, of which setting, until when.
   */
  readonly onRefused?: (error: ClientError) => void;
}

/** State of a login. `NONE`: none was started in this session. `NOT_BELIEVED`: the answer failed validation. */
export type LoginStatus =
  | {
      /** No login, or one that goes on. */
      readonly state: 'NONE' | 'RUNNING';
    }
  | {
      /** Logged in. */
      readonly state: 'OK';
      /** Citizen. */
      readonly user: LoginUser;
    }
  | {
      /** Not logged in; the login is over. */
      readonly state: 'FAILED';
      /** Reason. */
      readonly reason: Exclude<EndResult, 'OK'> | 'NOT_BELIEVED';
    };

/** A login that was started. */
export interface StartedLogin {
  /** Verification code to show: the citizen chooses it on the phone, or compares it with the phone's. */
  readonly code: string;
  /** Way `app`: address to send the browser to. */
  readonly link?: string;
}

/** Login with the citizen's phone, for any web framework: each call takes the visitor's session. */
export interface Login {
  /** Starts one. @param id of the citizen, for the way `push`: `PNOMN-…`, civil id or registration number */
  start(visitor: VisitorSession, way: LoginWay, id?: string): Promise<StartedLogin>;
  /** Makes the link of the QR code, fresh for 20 seconds; null when no login by QR code is under way. */
  link(visitor: VisitorSession): Promise<string | null>;
  /** Waits up to `pollMs` for the answer, validates it and logs the citizen in. The way `app` ends at its callback. */
  status(visitor: VisitorSession): Promise<LoginStatus>;
  /** Ends a login by the way `app`. @param returned address that the browser requested */
  callback(visitor: VisitorSession, returned: URL): Promise<LoginStatus>;
  /** Logs out, and gives up a login under way. */
  logout(visitor: VisitorSession): Promise<void>;
  /** Reads who is logged in; null: nobody. */
  user(visitor: VisitorSession): Promise<LoginUser | null>;
}

/** Path that the service sends every app back to (specification, `initialCallbackUrl` rules). */
export const CALLBACK_PATH = '/auth/eid/callback';

const STATE_BYTES = 16;
/** Time for an answer that is there already when the app returns, ms. */
const CALLBACK_WAIT_MS = 10_000;

/** Creates the login that the adapters of all frameworks share. */
export function createLogin(options: LoginOptions): Login {
  const { client, interactions, generation = 'G2', pollMs = 10_000 } = options;

  async function begin(way: LoginWay, id: string): Promise<PendingLogin> {
    if (way === 'push') {
      const session = await client.auth.notificationByEtsi(id, interactions, { generation });
      return { way, session, state: '' };
    }
    const state = way === 'app' ? randomBytes(STATE_BYTES).toString('base64url') : '';
    const session = await client.auth.deviceLinkAnonymous(interactions, {
      generation,
      ...(state !== '' && { callbackUrl: callbackOf(state) }),
    });
    return { way, session, state };
  }

  function callbackOf(state: string): string {
    if (options.origin === undefined) {
      throw new ConfigurationError('origin is missing: the app has to know where to return to.');
    }
    return new URL(`${CALLBACK_PATH}?state=${state}`, options.origin).href;
  }

  /**
   * Judges the answer; over: the login ends with it.
   *
   * @throws ClientError that {@link failed} does not explain
   */
  async function judge(
    session: PendingLogin['session'],
    result: SessionResult,
    checkReturn: () => void,
  ): Promise<{ status: LoginStatus; isOver: boolean }> {
    if (result.state === 'RUNNING') return { status: { state: 'RUNNING' }, isOver: false };
    try {
      if (result.endResult === 'OK') checkReturn();
      const validated = client.validator.validateAuth(result, session);
      await client.validator.checkRevocation(validated.certificate);
      return { status: { state: 'OK', user: userOf(validated) }, isOver: true };
    } catch (error) {
      const status = failed(error);
      if (error instanceof ValidationError) options.onNotBelieved?.(error, result);
      // A forged callback does not end the login: the right one may still come.
      const goesOn = error instanceof ValidationError && error.code === 'CALLBACK_MISMATCH';
      return { status, isOver: !goesOn };
    }
  }

  /**
   * Validates the answer and logs the citizen in.
   *
   * @param checkReturn refuses a browser that did not start the login
   * @throws ClientError that {@link failed} does not explain
   */
  async function finish(
    visitor: VisitorSession,
    { session }: PendingLogin,
    result: SessionResult,
    checkReturn: () => void = () => undefined,
  ): Promise<LoginStatus> {
    const { status, isOver } = await judge(session, result, checkReturn);
    // Time passed since the session was read: the visitor may have logged out, or started another login.
    await visitor.reload?.();
    const { pending, user } = (await visitor.read()) ?? {};
    if (pending?.session.sessionId !== session.sessionId) return { state: 'NONE' };
    if (status.state === 'OK') {
      await visitor.renew?.();
      await visitor.write({ user: status.user });
    } else if (isOver) await visitor.write(user === undefined ? {} : { user });
    return status;
  }

  return {
    start: async (visitor, way, id = '') => {
      const pending = await begin(way, id);
      const { user } = (await visitor.read()) ?? {};
      // Keeps the login from a poll by somebody who planted the session id that the visitor came with.
      await visitor.renew?.();
      await visitor.write({ pending, ...(user !== undefined && { user }) });
      const { vc } = pending.session;
      const code = typeof vc === 'string' ? vc : vc.value;
      return way === 'app' && isDeviceLink(pending.session)
        ? { code, link: signedDeviceLink(pending.session, { type: 'Web2App' }) }
        : { code };
    },

    link: async (visitor) => {
      const { pending } = (await visitor.read()) ?? {};
      return pending?.way === 'qr' && isDeviceLink(pending.session)
        ? signedDeviceLink(pending.session, { type: 'QR' })
        : null;
    },

    status: async (visitor) => {
      const { pending } = (await visitor.read()) ?? {};
      // Only the callback tells that the browser which returns is the one that was sent to the app.
      if (pending === undefined || pending.way === 'app') return { state: 'NONE' };
      const result = await client.session.poll(pending.session.sessionId, pollMs);
      return finish(visitor, pending, result);
    },

    callback: async (visitor, returned) => {
      const { pending } = (await visitor.read()) ?? {};
      if (pending?.way !== 'app' || !isDeviceLink(pending.session)) return { state: 'NONE' };
      const { session, state } = pending;
      const waiting = { maxWaitMs: CALLBACK_WAIT_MS };
      const result = await client.session.waitForResult(session.sessionId, waiting);
      return finish(visitor, pending, result, () => {
        checkCallback(returned, { session, result, state });
      });
    },

    logout: async (visitor) => {
      await visitor.renew?.();
      await visitor.write({});
    },

    user: async (visitor) => (await visitor.read())?.user ?? null,
  };
}

/** @throws the error itself when it is neither the citizen's answer nor one that must not be believed */
function failed(error: unknown): LoginStatus {
  if (error instanceof SessionFailedError) {
    const { endResult } = error;
    const reason = endResult === null || endResult === 'OK' ? 'UNKNOWN' : endResult;
    return { state: 'FAILED', reason };
  }
  if (error instanceof ValidationError) return { state: 'FAILED', reason: 'NOT_BELIEVED' };
  throw error;
}

function userOf({ person }: ValidatedAuthentication): LoginUser {
  const { etsi, civilId, firstName, lastName } = person;
  return { etsi, civilId, firstName, lastName };
}

function isDeviceLink(session: PendingLogin['session']): session is DeviceLinkSession {
  return 'sessionSecret' in session;
}
