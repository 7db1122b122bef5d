import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook, WebhookError } from '@tamga/client';

// Receives the events a relying party is told of, and prints each once.
//
//   WEBHOOK_KEY=whsec_… PORT=4000 node receiveEvents.js

const { WEBHOOK_KEY: keys = '', PORT: port = '4000' } = process.env;
/** In an application: a unique column of the table that the event's effect is written to. */
const handled = new Set<string>();

const server = createServer((request, response) => {
  void text(request).then((body) => {
    try {
      const event = verifyWebhook({ body, headers: request.headers, keys });
      if (!handled.has(event.id)) console.log(event.type, JSON.stringify(event.data));
      handled.add(event.id);
      response.writeHead(204).end();
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      response.writeHead(400).end(error.message);
    }
  });
});
server.listen(Number(port));
