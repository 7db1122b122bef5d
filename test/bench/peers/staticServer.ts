import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { serveChild } from '../support/childServer.ts';
import { listen } from './common.ts';

// Upper bound: node:http with one file in memory and its ETag.

await serveChild<{ readonly bytes: number }>(async ({ bytes }) => {
  const body = randomBytes(bytes);
  const headers = {
    etag: '"1"',
    'last-modified': new Date().toUTCString(),
    'cache-control': 'public, max-age=60',
  };
  const server = createServer((request, response) => {
    if (request.headers['if-none-match'] === '"1"') {
      response.writeHead(304, headers).end();
      return;
    }
    response.writeHead(200, {
      ...headers,
      'content-type': 'application/pkix-crl',
      'content-length': body.length,
    });
    response.end(body);
  });
  const port = await listen(server);
  return {
    port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
});
