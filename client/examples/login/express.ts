import express, { type Express } from 'express';
import session from 'express-session';
import type { EidClient } from '@tamga/client';
import { expressLogin, loggedInUser } from '@tamga/client/login';
import { interactions } from './interactions.ts';

/** A shop by Express: the login below `/login`, and a page for citizens. */
export function createApp(client: EidClient, secret: string, origin: string): Express {
  const app = express();
  app.use(
    session({ secret, resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }),
  );
  app.use('/login', express.json(), expressLogin({ client, interactions, origin, home: '/me' }));
  app.get('/me', (request, response) => {
    const user = loggedInUser(request);
    if (user === null) response.sendStatus(401);
    else response.json(user);
  });
  return app;
}
