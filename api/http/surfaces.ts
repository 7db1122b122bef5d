import express, { type RequestHandler, type Router } from 'express';
import type { ErrorStep, Step } from './exchange.ts';
import { allowOnly } from './refusal.ts';
import type { Route } from './route.ts';

/** Literal start of a path by which surfaces are told apart: `/v3/device`, `/api/v1/admin`, `/ocsp`. None is below another. */
const SURFACE = /^(?:\/(?:v3|api\/v1|api\/platform\/v1)(?=\/[^:*]))?\/[^/:*]+/;

/**
 * Makes a router of each surface, under the start of its paths. Their order is that of the first route of each; within
 * one the first of two routes that match serves.
 */
export function surfaceRouters(
  routes: readonly Route[],
  stepsOf: (route: Route) => readonly (Step | ErrorStep)[],
): ReadonlyMap<string, Router> {
  const surfaces = Map.groupBy(routes, ({ path }) => SURFACE.exec(path)?.[0] ?? '/');
  return new Map(
    Array.from(surfaces, ([prefix, own]) => [prefix, routerOf(prefix, own, stepsOf)] as const),
  );
}

function routerOf(
  prefix: string,
  routes: readonly Route[],
  stepsOf: (route: Route) => readonly (Step | ErrorStep)[],
): Router {
  const router = express.Router({ caseSensitive: true });
  const below = (path: string) => (prefix === '/' ? path : path.slice(prefix.length));
  for (const route of routes) {
    router[methodName(route)](below(route.path), ...middleware(stepsOf(route)));
  }
  const byPath = Map.groupBy(routes, ({ path }) => path);
  for (const [path, own] of byPath) router.all(below(path), ...middleware([collectMethods(own)]));
  router.use(...middleware([refuseMethod]));
  return router;
}

/** Steps as Express takes them: its types promise requests with the methods of an application, which no step uses. */
export function middleware(steps: readonly (Step | ErrorStep)[]): RequestHandler[] {
  return steps as unknown as RequestHandler[];
}

/** Step that collects the methods of every route at this path, since several patterns may match it. */
function collectMethods(routes: readonly Route[]): Step {
  const methods = routes.map(({ method }) => method);
  return (_request, { locals }, next) => {
    locals.methods = [...(locals.methods ?? []), ...methods];
    next();
  };
}

/** Step that answers a path of the surface whose routes take other methods. */
const refuseMethod: Step = (_request, { locals: { exchange, methods } }, next) => {
  if (methods === undefined) next();
  else allowOnly(exchange, methods);
};

function methodName(route: Route) {
  return route.method.toLowerCase() as Lowercase<Route['method']>;
}
