import { Notifications } from '@mantine/notifications';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { z } from '../shared/zod.ts';
import { accountQuery, may, useAccount } from '../shared/account.ts';
import type { AreaPage } from '../shared/area.ts';
import { areas } from './areas.ts';
import { ErrorPage, ForbiddenPage, NotFoundPage } from './statePages.tsx';
import { queries } from './session.ts';
import { Shell } from './Shell.tsx';
import { leaveFor, nobody, requiredFirst } from './visitor.ts';

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

/** Leaves for the sign-in without a session, or with a required change of password. */
async function signedIn(href: string): Promise<void> {
  const account = await queries.query(accountQuery).catch(nobody);
  // A process that finds its installation restored has ended every session.
  const first = requiredFirst({ account, pending: null });
  if (first === null) return;
  leaveFor(first, href, first === '/login');
  await untilLeft;
}

/** Never settles: the page shows nothing else until the browser has left it. */
const untilLeft = new Promise<never>(() => undefined);

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

const insidePages = areas.flatMap(({ pages }) => pages.map(pageRoute));
const elsewhere = createRoute({
  getParentRoute: () => inside,
  path: '$',
  component: NotFoundPage,
});

export const router = createRouter({
  routeTree: root.addChildren([inside.addChildren([...insidePages, elsewhere])]),
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
