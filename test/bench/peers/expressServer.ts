import { createServer } from 'node:http';
import express, { type Response } from 'express';
import { z } from 'zod';
import { serveChild } from '../support/childServer.ts';
import { createBody, listen, RUNNING } from './common.ts';

// Usual stack: Express 5 with its JSON parser and zod. Same routes as the bare server.

await serveChild(async () => {
  const waiting = new Set<Response>();
  const app = express();
  app.use(express.json());
  app.post('/create', (request, response) => {
    const parsed = createBody.safeParse(request.body);
    if (!parsed.success) {
      response.status(400).json({ error: z.prettifyError(parsed.error) });
      return;
    }
    response.json({ sessionID: crypto.randomUUID(), vc: { type: 'alphaNumeric4' } });
  });
  app.get('/poll/:id', (_request, response) => {
    waiting.add(response);
    response.on('close', () => waiting.delete(response));
  });
  app.get('/complete', (_request, response) => {
    response.json(RUNNING);
  });
  const server = createServer(app);
  const port = await listen(server);
  return {
    port,
    answers: {
      release: () => {
        for (const response of waiting) response.json(RUNNING);
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
