import type { Access } from './clusterNode.ts';
import { rpcErrors } from './rpcErrors.ts';

/** Names and passwords. */
export type Users = Readonly<Record<string, string>>;

/** The user of an `authorization` header; `null`: there is none. @throws RpcError when the password is another */
export function userOf(header: string | undefined, users: Users | undefined): string | null {
  const encoded = /^Basic (.+)$/iu.exec(header ?? '')?.[1];
  if (encoded === undefined) return null;
  const [user = '', ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  if (users !== undefined && users[user] !== password.join(':')) throw rpcErrors.unauthenticated();
  return user;
}

/**
 * Default access rules. Without users the server runs insecure and denies nothing; with them, streams are
 * for users who sign in, `$all` and the server's own streams for `admin`.
 */
export function deniedByDefault(users: Users | undefined): (access: Access) => boolean {
  return ({ operation, stream = '', user }) => {
    if (users === undefined || (operation !== 'read' && operation !== 'append')) return false;
    return user === null || (stream.startsWith('$') && user !== 'admin');
  };
}
