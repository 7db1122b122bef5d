import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import passport from 'passport';
import type { EidClient } from '@tamga/client';
import { passportLogin } from '@tamga/client/login';
import { interactions } from './interactions.ts';

/** A customer of the shop. */
interface Customer {
  readonly id: string;
  readonly name: string;
}

/** A shop by Passport: the login is started below `/login`, and ended by the strategy. */
export function createApp(client: EidClient, secret: string, origin: string): Express {
  const customers = new Map<string, Customer>();
  const users = new passport.Passport();
  users.serializeUser<string>((user, done) => done(null, (user as Customer).id));
  users.deserializeUser<string>((id, done) => done(null, customers.get(id) ?? false));
  const login = passportLogin({
    client,
    interactions,
    origin,
    verify: ({ etsi, firstName }) => {
      const customer = { id: etsi, name: String(firstName) };
      customers.set(etsi, customer);
      return customer;
    },
  });
  users.use(login);

  const app = express();
  app.use(
    session({ secret, resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }),
  );
  app.use(users.session());
  // Users admitted by `verify` are logged in by these two alone; the other addresses start a login.
  app.post('/login/finish', users.authenticate('tamga') as RequestHandler, (request, response) => {
    response.json(request.user);
  });
  const returned = users.authenticate('tamga', { successRedirect: '/me' }) as RequestHandler;
  app.get('/auth/eid/callback', returned);
  app.use(express.json(), login.addresses);
  app.get('/me', (request, response) => {
    if (request.user === undefined) response.sendStatus(401);
    else response.json(request.user);
  });
  return app;
}
