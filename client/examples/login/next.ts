import { randomUUID } from 'node:crypto';
import type { EidClient } from '@tamga/client';
import { type LoginState, type NextHandlers, nextLogin } from '@tamga/client/login';
import { interactions } from './interactions.ts';

// A shop by Next.js: in `app/login/[action]/route.ts` and `app/auth/eid/callback/route.ts` stands
//
//   export const { GET, POST } = createHandlers(EidClient.fromEnv(), cookies);

/** The part of `cookies()` of `next/headers` that the sessions need. */
export interface Cookies {
  get(name: string): { readonly value: string } | undefined;
  set(name: string, value: string, options: { httpOnly: boolean; sameSite: 'lax' }): unknown;
}

/** Sessions in memory; one of several processes keeps them in a database. */
const sessions = new Map<string, LoginState>();

/** Route handlers of the login. */
export function createHandlers(
  client: EidClient,
  cookies: () => Promise<Cookies>,
  origin: string,
): NextHandlers {
  return nextLogin({
    client,
    interactions,
    origin,
    home: '/me',
    session: async () => {
      const jar = await cookies();
      const sent = jar.get('visitor')?.value ?? '';
      let id = sessions.has(sent) ? sent : undefined;
      return {
        read: () => sessions.get(id ?? ''),
        write: (state) => {
          id ??= newVisitor(jar);
          sessions.set(id, state);
        },
        renew: () => {
          sessions.delete(id ?? '');
          id = newVisitor(jar);
          return Promise.resolve();
        },
      };
    },
  });
}

/** Citizen who is logged in, for pages and server actions. */
export async function currentUser(cookies: () => Promise<Cookies>): Promise<LoginState['user']> {
  return sessions.get((await cookies()).get('visitor')?.value ?? '')?.user;
}

function newVisitor(jar: Cookies): string {
  const id = randomUUID();
  jar.set('visitor', id, { httpOnly: true, sameSite: 'lax' });
  return id;
}
