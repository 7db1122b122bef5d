import type { Account } from '../shared/account.ts';
import type { AnswerOf } from '../shared/api/useRead.ts';
import { answerOf, api } from '../shared/api/client.ts';
import { ApiProblem } from '../shared/api/problem.ts';

/** Account id of the development profile without sign-in. */
export const openAccountId = 'development';

const OPEN = 'tamga.open';

/** True after the user chose to enter a development installation without signing in. */
function usesOpenProfile(): boolean {
  return sessionStorage.getItem(OPEN) !== null;
}

export function enterOpenProfile(): void {
  sessionStorage.setItem(OPEN, 'yes');
}

/** State of an installation that was restored and waits to be accepted; null: it is in use. */
export type Pending = AnswerOf<'/v3/admin/restored'>['pending'];

/** An API of the former release does not know the question. */
export function findPending(): Promise<Pending> {
  return answerOf(api.GET('/v3/admin/restored', {})).then(
    ({ pending }) => pending,
    () => null,
  );
}

export interface Visitor {
  readonly pending: Pending;
  /** Null: without a session; undefined: not known, as the service failed. */
  readonly account: Account | null | undefined;
}

/** Asks who is at the page. */
export async function findVisitor(): Promise<Visitor> {
  const [pending, account] = await Promise.all([
    findPending(),
    answerOf(api.GET('/v3/admin/account', {}))
      .catch(nobody)
      .catch(() => undefined),
  ]);
  // Of a restored installation nobody is told anything before operators may sign in.
  return { pending, account: account ?? (pending === null ? account : null) };
}

/** Handles the problem of a call without a session. @throws unknown any other problem */
export function nobody(error: unknown): null {
  if (error instanceof ApiProblem && error.status === 401) return null;
  throw error;
}

/** Paths of the pages outside of the console's frame. */
export const signInPaths = ['/login', '/change-password', '/restored'] as const;
export type SignInPath = (typeof signInPaths)[number];

/**
 * Page where one without a session, of a restored installation, or with a required change of password must go first.
 *
 * @returns null: none
 */
export function requiredFirst({ account, pending }: Visitor): SignInPath | null {
  if (account === undefined) return null;
  if (account === null || (account.id === openAccountId && !usesOpenProfile())) return '/login';
  if (pending !== null) return '/restored';
  return account.mustChangePassword ? '/change-password' : null;
}

/** Address of a page of the sign-in. @param href page to return to */
export function signInAddress(path: SignInPath, href: string): string {
  return href === '/' ? path : `${path}?${new URLSearchParams({ return: href }).toString()}`;
}

/** Page to return to, as {@link signInAddress} wrote it: of the console, never of another site. */
export function returnAddress(): string {
  const given = new URLSearchParams(location.search).get('return') ?? '/';
  const target = URL.canParse(given, location.origin) ? new URL(given, location.origin) : null;
  return target?.origin === location.origin ? target.href : '/';
}

const ENDED = 'ended';

/** True where the session ended in an open page, which led here. */
export function hasEnded(): boolean {
  return new URLSearchParams(location.search).has(ENDED);
}

/**
 * Loads a page of the sign-in in place of the console.
 *
 * @param href page to return to
 * @param isOver tells that the session has ended meanwhile
 */
export function leaveFor(path: SignInPath, href: string, isOver = false): void {
  const address = new URL(signInAddress(path, href), location.origin);
  if (isOver) address.searchParams.set(ENDED, 'yes');
  location.assign(address);
}

/** Ends the session at the service and shows the sign-in. */
export async function signOut(): Promise<void> {
  sessionStorage.removeItem(OPEN);
  await answerOf(api.POST('/v3/admin/auth/logout', {})).finally(() => leaveFor('/login', '/'));
}
