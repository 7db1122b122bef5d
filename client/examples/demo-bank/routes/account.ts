import { Router } from 'express';
import { accountPage } from '../pages/account.ts';
import { type Bank, viewFor, visitorOf } from './exchange.ts';

/** Pages for customers who are logged in. */
export function accountRoutes(bank: Bank): Router {
  const router = Router();
  router.get('/account', (_request, response) => {
    const { customer } = visitorOf(response);
    if (customer === undefined) response.redirect(303, `${bank.settings.base}/`);
    else response.send(accountPage(viewFor(bank, response), customer));
  });
  return router;
}
