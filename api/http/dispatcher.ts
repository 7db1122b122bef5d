import express from 'express';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createRowFinder, pathOf } from './hotRows.ts';
import type { Mount } from './mount.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { Pipeline } from './pipeline.ts';
import type { Route } from './route.ts';

/**
 * Serves the rows: the hot ones by a small router straight on the http server, all of them by Express behind it, both
 * through the same pipeline. What is mounted comes between the two.
 */
export function createDispatcher(
  routes: readonly Route[],
  pipeline: Pipeline,
  mounts: readonly Mount[] = [],
): RequestListener {
  const findHot = createRowFinder(routes.filter((row) => row.hot === true));
  const app = expressApp(routes, pipeline);
  return (request, response) => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      pipeline.refuse(request, response, noHost());
      return;
    }
    const { method = '', url: target = '/' } = request;
    const found = findHot(method, target);
    if (found !== null) {
      pipeline.serve(found.row, request, response, found);
      return;
    }
    const path = pathOf(target);
    const mount = mounts.find(({ paths }) => paths.some((each) => isBelow(each, path)));
    if (mount === undefined) app(request, response);
    else pipeline.hand(mount, path, request, response);
  };
}

function isBelow(parent: string, path: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}

/** RFC 9112 §3.2. Node would refuse it too, without a body. */
function noHost(): Refusal {
  const detail = 'HTTP/1.1 requires a Host header.';
  return new Refusal('INVALID_REQUEST', {
    detail,
    errors: [{ pointer: '#/header/host', detail }],
  });
}

function expressApp(routes: readonly Route[], pipeline: Pipeline) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', false);
  for (const row of routes) {
    app[methodName(row)](row.path, (request, response) => {
      const mark = request.originalUrl.indexOf('?');
      const query = mark < 0 ? '' : request.originalUrl.slice(mark + 1);
      pipeline.serve(row, request, response, { params: request.params, query });
    });
  }
  for (const [path, allow] of allowedMethods(routes)) {
    app.all(path, (request, response) => {
      if (request.method === 'OPTIONS') response.writeHead(204, { allow }).end();
      else pipeline.refuse(request, response, new Refusal('METHOD_NOT_ALLOWED'), { allow });
    });
  }
  app.use((request, response) => pipeline.refuse(request, response, new Refusal('NOT_FOUND')));
  app.use(
    (error: unknown, request: IncomingMessage, response: ServerResponse, next: () => void) => {
      if (response.headersSent) next();
      else pipeline.refuse(request, response, routingRefusal(error));
    },
  );
  return app;
}

function methodName(row: Route) {
  return row.method.toLowerCase() as Lowercase<Route['method']>;
}

function allowedMethods(routes: readonly Route[]): ReadonlyMap<string, string> {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of routes) {
    const known = methods.get(path) ?? new Set(['OPTIONS']);
    known.add(method);
    if (method === 'GET') known.add('HEAD');
    methods.set(path, known);
  }
  return new Map([...methods].map(([path, known]) => [path, [...known].sort().join(', ')]));
}

/** Express itself fails on one thing before a row is found: a path that is not percent-encoded UTF-8. */
function routingRefusal(error: unknown): unknown {
  const { status } = error as { status?: number };
  if (status !== 400) return error;
  return new Refusal('INVALID_REQUEST', {
    detail: 'The path is not valid percent-encoded UTF-8.',
    errors: [{ pointer: '#/path', detail: 'Not valid percent-encoded UTF-8.' }],
  });
}
