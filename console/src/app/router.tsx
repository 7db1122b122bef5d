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
import { ApiProblem } from '../shared/api/problem.ts';
import type { AreaPage } from '../shared/area.ts';
import { areas } from './areas.ts';
import { ErrorPage, ForbiddenPage, NotFoundPage } from './statePages.tsx';
import { openAccountId, queries, usesOpenProfile, whenSignedOut } from './session.ts';
import { Shell } from './Shell.tsx';

/** Every page, and above it what is told: notifications hold links, which only work inside of the router. */
function Root() {
  return (
    <>
      <Notifications position="top-right" />
      <Outlet />
    </>
  );
}

const root = createRootRoute({ component: Root, notFoundComponent: NotFoundPage });

/** Sends whoever is not signed in, or must change the password first, to where that is done. */
async function signedIn(href: string): Promise<void> {
  const account = await queries.query(accountQuery).catch((error: unknown) => {
    if (error instanceof ApiProblem && error.status === 401) return null;
    throw error;
  });
  const isNobody = account === null || (account.id === openAccountId && !usesOpenProfile());
  // A redirect is thrown as the router's documentation says.
  // eslint-disable-next-line @typescript-eslint/only-throw-error
  if (isNobody) throw toSignIn(href);
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

/** A page whose capability is missing is never loaded, nor is anything asked for it. */
function pageRoute({ path, search, capability, load }: AreaPage) {
  // Its own type depends on the module's, which differs from page to page.
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
  // Plain text behind the question mark: addresses are typed and sent by people.
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
