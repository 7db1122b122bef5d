import express, { type Express } from 'express';
import session from 'express-session';
import type { EidClient } from '@tamga/client';
import { expressLogin, loggedInUser, type LoginOptions } from '@tamga/client/login';
import { interactions } from './interactions.ts';

/** A shop by Express: the login, and a page for citizens. */
export function createApp(
  client: EidClient,
  secret: string,
  origin: string,
  onNotBelieved: LoginOptions['onNotBelieved'] = () => undefined,
): Express {
  const app = express();
  app.use(
    session({ secret, resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }),
  );
  app.use(express.json());
  app.use(expressLogin({ client, interactions, origin, home: '/me', onNotBelieved }));
  app.get('/me', (request, response) => {
    const user = loggedInUser(request);
    if (user === null) response.sendStatus(401);
    else response.json(user);
  });
  return app;
}
