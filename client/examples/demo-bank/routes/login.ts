import { Router } from 'express';
import type { Failure, FailureKind } from '../failures.ts';
import { loginByApp } from '../flows/loginByApp.ts';
import { loginByPush } from '../flows/loginByPush.ts';
import { loginByQr } from '../flows/loginByQr.ts';
import { loginPage } from '../pages/login.ts';
import { texts } from '../texts/index.ts';
import { traced } from '../tracing.ts';
import type { Channel } from '../visitors.ts';
import { type Bank, field, viewFor, visitorOf } from './exchange.ts';
import { begin, channelNamed, type Start } from './pending.ts';

/** Failures that another number mends: told beside the field. */
const ofNumber: ReadonlySet<FailureKind> = new Set(['unknownPerson', 'invalidInput']);

/** Starts a login by push, QR code or app. */
export function loginRoutes(bank: Bank): Router {
  const { client, settings } = bank;
  const router = Router();

  router.get('/', (_request, response) => {
    const visitor = visitorOf(response);
    if (visitor.customer === undefined) {
      const { wrongNumber } = visitor;
      // A wrong number is told with the call that was refused.
      if (wrongNumber === undefined) visitor.steps = [];
      delete visitor.wrongNumber;
      response.send(loginPage(viewFor(bank, response), wrongNumber));
    } else {
      response.redirect(303, `${settings.base}/account`);
    }
  });

  router.post('/login/:channel', async (request, response, next) => {
    const channel = channelNamed(request.params.channel);
    if (channel === null) {
      next();
      return;
    }
    const visitor = visitorOf(response);
    const text = texts[visitor.language].ask.login;
    const starts: Readonly<Record<Channel, Start>> = {
      push: () =>
        traced(visitor, 'loginByPush', () => loginByPush(client, field(request, 'id'), text)),
      qr: () => traced(visitor, 'loginByQr', () => loginByQr(client, text)),
      app: (back) =>
        traced(visitor, 'loginByApp', () => loginByApp(client, text, back?.callbackUrl ?? '')),
    };
    const shownOn = ({ kind }: Failure) => {
      if (channel !== 'push' || !ofNumber.has(kind)) return '/failure';
      visitor.wrongNumber = { typed: field(request, 'id'), kind };
      return '/';
    };
    const beginning = { channel, purpose: { kind: 'login' }, shownOn } as const;
    await begin(bank, response, beginning, starts[channel]);
  });

  router.post('/logout', (request, response) => {
    bank.visitors.forget(request, response);
    response.redirect(303, `${settings.base}/`);
  });
  return router;
}
