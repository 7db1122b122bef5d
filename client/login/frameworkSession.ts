import { ConfigurationError } from '../index.ts';
import type { LoginState, LoginUser, VisitorSession } from './login.ts';

/** A request with a session: of `express-session`, `@fastify/session`, `@fastify/secure-session` and their like. */
export interface RequestWithSession {
  /** The session; read again after it was regenerated. */
  readonly session?: unknown;
}

/** A session object: a value by `get` and `set`, or as a field. */
interface SessionObject {
  [field: string]: unknown;
  get?: (field: string) => unknown;
  set?: (field: string, value: unknown) => void;
  regenerate?: (callback: (error?: unknown) => void) => unknown;
}

/** Field of the session that holds the login. */
const FIELD = 'tamga';

/** Session of the request's visitor. @throws ConfigurationError when the framework keeps none */
export function visitorOf(request: RequestWithSession): VisitorSession {
  return {
    read: () => stateIn(sessionOf(request)),
    write: (state) => {
      const session = sessionOf(request);
      if (session.set === undefined) session[FIELD] = state;
      else session.set(FIELD, state);
    },
    renew: async () => {
      const session = sessionOf(request);
      if (session.regenerate === undefined) return;
      await new Promise<void>((resolve, reject) => {
        session.regenerate?.((error) => {
          if (error instanceof Error) reject(error);
          else resolve();
        });
      });
    },
  };
}

/** Citizen who is logged in, by the request's session; null: nobody. */
export function loggedInUser(request: RequestWithSession): LoginUser | null {
  return stateIn(sessionOf(request))?.user ?? null;
}

function stateIn(session: SessionObject): LoginState | undefined {
  const state = session.get === undefined ? session[FIELD] : session.get(FIELD);
  return state as LoginState | undefined;
}

function sessionOf({ session }: RequestWithSession): SessionObject {
  if (typeof session !== 'object' || session === null) {
    throw new ConfigurationError(
      "The request has no session: put the framework's before the login.",
    );
  }
  return session as SessionObject;
}
