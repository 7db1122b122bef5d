import { Notifications } from '@mantine/notifications';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { z } from '../shared/zod.ts';
import { signInPages } from '../areas/signIn/area.ts';
import { accountQuery, may, useAccount } from '../shared/account.ts';
import { restoredQuery } from '../shared/restored.ts';
import { ApiProblem } from '../shared/api/problem.ts';
import type { AreaPage } from '../shared/area.ts';
import { areas } from './areas.ts';
import { ErrorPage, ForbiddenPage, NotFoundPage } from './statePages.tsx';
import { openAccountId, queries, usesOpenProfile, whenSignedOut } from './session.ts';
import { Shell } from './Shell.tsx';

/** Root of all pages. Contains the notifications, whose links work only inside of the router. */
function Root() {
  return (
    <>
      <Notifications position="top-right" />
      <Outlet />
    </>
  );
}

const root = createRootRoute({ component: Root, notFoundComponent: NotFoundPage });

/** Redirects callers without a session, of a restored installation, or with a required change of password. */
async function signedIn(href: string): Promise<void> {
  const { pending } = await queries.query(restoredQuery);
  const account = await queries.query(accountQuery).catch((error: unknown) => {
    // Of a restored installation nobody is told anything before operators may sign in.
    if (error instanceof ApiProblem && (error.status === 401 || pending !== null)) return null;
    throw error;
  });
  const isNobody = account === null || (account.id === openAccountId && !usesOpenProfile());
  // The router expects redirects to be thrown.
  // eslint-disable-next-line @typescript-eslint/only-throw-error
  if (isNobody) throw toSignIn(href);
  // eslint-disable-next-line @typescript-eslint/only-throw-error
  if (pending !== null) throw redirect({ to: '/restored' });
  if (account.mustChangePassword) {
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    throw redirect({ to: '/change-password', search: returning(href) });
  }
}

const returning = (href: string) => (href === '/' ? {} : { return: href }) as never;
const toSignIn = (href: string) => redirect({ to: '/login', search: returning(href) });

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: async ({ location }) => {
    await signedIn(location.href);
  },
});

/** Route of a page; without the capability neither page nor data is loaded. */
function pageRoute({ path, search, capability, load }: AreaPage) {
  // Cast: the component's type depends on the module.
  const Page = lazyRouteComponent(load) as ComponentType;
  return createRoute({
    getParentRoute: () => inside,
    path,
    validateSearch: search ?? z.object({}),
    component: function Guarded() {
      return may(useAccount(), capability) ? (
        <Page />
      ) : (
        <ForbiddenPage capability={capability ?? ''} />
      );
    },
  });
}

const outside = signInPages.map(({ path, load, search }) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: search ?? z.object({}),
    component: lazyRouteComponent(load),
  }),
);

const insidePages = areas.flatMap(({ pages }) => pages.map(pageRoute));
const elsewhere = createRoute({
  getParentRoute: () => inside,
  path: '$',
  component: NotFoundPage,
});

export const router = createRouter({
  routeTree: root.addChildren([...outside, inside.addChildren([...insidePages, elsewhere])]),
  // Plain text in the query: people type and send addresses.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
  defaultErrorComponent: ({ error, reset }) => <ErrorPage error={error} onRetry={reset} />,
  scrollRestoration: true,
});

whenSignedOut(() => {
  const { pathname, href } = router.state.location;
  if (pathname !== '/login') void router.navigate({ to: '/login', search: returning(href) });
});
