import { ConfigurationError } from '../index.ts';
import type { LoginState, LoginUser, VisitorSession } from './login.ts';

/** A request with a session: of `express-session`, `@fastify/session` and their like. */
export interface RequestWithSession {
  /** The session; read again after it was regenerated. */
  readonly session?: unknown;
}

/** A session object: a value by `get` and `set`, or as a field. */
interface SessionObject {
  [field: string]: unknown;
  get?: (field: string) => unknown;
  set?: (field: string, value: unknown) => void;
  regenerate?: Change;
  reload?: Change;
  destroy?: Change;
}

type Change = (callback: (error?: unknown) => void) => unknown;

/** Field of the session that holds the login. */
const FIELD = 'tamga';

/** Session of the request's visitor. @throws ConfigurationError when the framework keeps none */
export function visitorOf(request: RequestWithSession): VisitorSession {
  let isGone = false;
  return {
    read: () => (isGone ? undefined : stateIn(sessionOf(request))),
    write: (state) => {
      const session = sessionOf(request);
      if (session.set === undefined) session[FIELD] = state;
      else session.set(FIELD, state);
    },
    renew: () => change(sessionOf(request), 'regenerate'),
    reload: async () => {
      // Express tells of a session that another request ended by an error, Fastify by an empty one.
      const isThere = await change(sessionOf(request), 'reload').then(
        () => stateIn(sessionOf(request)) !== undefined,
        () => false,
      );
      if (isThere) return;
      isGone = true;
      // Keeps the framework from writing the ended session again, and its id into the browser's cookie.
      await change(sessionOf(request), 'destroy');
    },
  };
}

async function change(
  session: SessionObject,
  name: 'regenerate' | 'reload' | 'destroy',
): Promise<void> {
  if (session[name] === undefined) return;
  await new Promise<void>((resolve, reject) => {
    session[name]?.((error) => {
      if (error instanceof Error) reject(error);
      else resolve();
    });
  });
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
