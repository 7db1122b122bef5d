import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { serveChild } from '../support/childServer.ts';
import { createBody, listen, RUNNING } from './common.ts';

// Upper bound: node:http without routing table, authentication or error handling. POST /create
// parses JSON with zod and answers JSON; GET /poll/… waits; anything else answers at once.

await serveChild(async () => {
  const waiting = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const target = request.url ?? '/';
    if (request.method === 'POST') readJson(request, response);
    else if (target.startsWith('/poll/')) hold(response, waiting);
    else sendJson(response, RUNNING);
  });
  const port = await listen(server);
  return {
    port,
    answers: {
      release: () => {
        for (const response of waiting) sendJson(response, RUNNING);
        waiting.clear();
      },
      waiting: () => waiting.size,
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
});

function hold(response: ServerResponse, waiting: Set<ServerResponse>): void {
  waiting.add(response);
  response.on('close', () => waiting.delete(response));
}

function readJson(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const parsed = createBody.safeParse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    if (!parsed.success) {
      sendJson(response, { error: z.prettifyError(parsed.error) }, 400);
      return;
    }
    sendJson(response, { sessionID: crypto.randomUUID(), vc: { type: 'alphaNumeric4' } });
  });
}

function sendJson(response: ServerResponse, body: object, status = 200): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}
