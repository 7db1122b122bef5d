import cookie from '@fastify/cookie';
import session from '@fastify/session';
import fastify, { type FastifyInstance } from 'fastify';
import type { EidClient } from '@tamga/client';
import { fastifyLogin, loggedInUser } from '@tamga/client/login';
import { interactions } from './interactions.ts';

/** A shop by Fastify: the login, and a page for citizens. @param secret of 32 characters or more */
export function createApp(client: EidClient, secret: string, origin: string): FastifyInstance {
  const app = fastify();
  app.register(cookie);
  app.register(session, { secret, cookie: { secure: 'auto', sameSite: 'lax' } });
  app.register(fastifyLogin, { client, interactions, origin, home: '/me' });
  app.get('/me', async (request, reply) => {
    const user = loggedInUser(request);
    return user ?? reply.code(401).send();
  });
  return app;
}
