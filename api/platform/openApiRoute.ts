import { z } from 'zod';
import { anyone } from '../http/guards.ts';
import { openApiDocument, type ServiceDescription } from '../http/openApi.ts';
import { type Route, route } from '../http/route.ts';

const nothing = z.object({});

/**
 * `GET /openapi.json`: every row of the service, this one too, in OpenAPI 3.1.
 *
 * @param routes the other rows
 */
export function openApiRoute(routes: readonly Route[], service: ServiceDescription): Route {
  let body: Buffer | undefined;
  const row: Route = route({
    name: 'openapi',
    summary: 'The description of the service in OpenAPI 3.1',
    method: 'GET',
    path: '/openapi.json',
    listedUnder: null,
    guard: anyone,
    params: nothing,
    query: nothing,
    body: null,
    response: { 200: z.looseObject({ openapi: z.string() }) },
    handle: () => {
      body ??= Buffer.from(JSON.stringify(openApiDocument([...routes, row], service)));
      return {
        body,
        contentType: 'application/json',
        headers: { 'cache-control': 'public, max-age=300' },
      };
    },
  });
  return row;
}
