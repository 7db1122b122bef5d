import { z } from 'zod';
import { codedReply } from '../pages/contentCoding.ts';
import { anyone } from '../http/handling.ts';
import { openApiDocument, type ServiceDescription } from './openApi.ts';
import { type Route, route } from '../http/route.ts';

/**
 * `GET /openapi.json`: every route of the service, this one included, in OpenAPI 3.1.
 *
 * @param routes the other routes
 */
export function openApiRoute(routes: readonly Route[], service: ServiceDescription): Route {
  /** Built on first use and compressed once: it is large and public. */
  let reply: ReturnType<typeof codedReply> | undefined;
  const self: Route = route({
    name: 'openapi',
    summary: 'Get the OpenAPI 3.1 description of the service',
    method: 'GET',
    path: '/openapi.json',
    guard: anyone,
    response: { 200: z.looseObject({ openapi: z.string() }) },
    handle: (request) => {
      reply ??= codedReply(
        Buffer.from(JSON.stringify(openApiDocument([...routes, self], service))),
        'application/json',
        'public, max-age=300',
      );
      return reply(request);
    },
  });
  return self;
}
