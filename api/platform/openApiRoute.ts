import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { acceptsGzip } from '../pages/staticFile.ts';
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
  let made: { readonly identity: Buffer; readonly gzip: Buffer } | undefined;
  const self: Route = route({
    name: 'openapi',
    summary: 'The description of the service in OpenAPI 3.1',
    method: 'GET',
    path: '/openapi.json',
    guard: anyone,
    response: { 200: z.looseObject({ openapi: z.string() }) },
    handle: ({ context }) => {
      if (made === undefined) {
        const identity = Buffer.from(JSON.stringify(openApiDocument([...routes, self], service)));
        made = { identity, gzip: gzipSync(identity) };
      }
      const isCompressed = acceptsGzip(context);
      return {
        body: isCompressed ? made.gzip : made.identity,
        contentType: 'application/json',
        headers: {
          'cache-control': 'public, max-age=300',
          vary: 'accept-encoding',
          ...(isCompressed && { 'content-encoding': 'gzip' }),
        },
      };
    },
  });
  return self;
}
