import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import type { EidClient } from '@tamga/client';
import { expressLogin, passportLogin } from '@tamga/client/login';
import { interactions } from './interactions.ts';

/** A customer of the shop. */
interface Customer {
  readonly id: string;
  readonly name: string;
}

/** A shop by Passport: the login is started below `/login`, and ended by the strategy. */
export function createApp(client: EidClient, secret: string, origin: string): Express {
  const login = { client, interactions, origin, home: '/me' };
  const customers = new Map<string, Customer>();
  const users = new passport.Passport();
  users.serializeUser<string>((user, done) => done(null, (user as Customer).id));
  users.deserializeUser<string>((id, done) => done(null, customers.get(id) ?? false));
  users.use(
    passportLogin({
      ...login,
      verify: ({ etsi, firstName }) => {
        const customer = { id: etsi, name: String(firstName) };
        customers.set(etsi, customer);
        return customer;
      },
    }),
  );

  const app = express();
  app.use(
    session({ secret, resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }),
  );
  app.use(users.session());
  // Before the other addresses of the login: these two end it.
  app.post('/login/finish', users.authenticate('tamga') as RequestHandler, (request, response) => {
    response.json(request.user);
  });
  const returned = users.authenticate('tamga', { successRedirect: '/me' }) as RequestHandler;
  app.get('/auth/eid/callback', returned);
  app.use(express.json(), expressLogin(login));
  app.get('/me', (request, response) => {
    if (request.user === undefined) response.sendStatus(401);
    else response.json(request.user);
  });
  return app;
}
