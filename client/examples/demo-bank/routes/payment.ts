import { type Request, Router } from 'express';
import { askForPayment, isAuthorized, type PaymentDetails } from '../flows/payByConsent.ts';
import { failurePage } from '../pages/message.ts';
import { leavingPage, paidPage } from '../pages/payment.ts';
import { traced } from '../tracing.ts';
import { type Bank, field, viewFor, visitorOf } from './exchange.ts';
import { customerOrLogin } from './signing.ts';

/** Account of the shop; the bank's customers cannot choose another. */
const SHOP_ACCOUNT = 'MN640015001234567891';

/** Payments that the citizen authorizes on the platform's pages and the phone (RFC 9396). */
export function paymentRoutes(bank: Bank): Router {
  const router = Router();
  const { openId } = bank.settings;
  if (openId === null) return router;

  router.post('/payments', async (request, response) => {
    if (customerOrLogin(bank, response) === null) return;
    const visitor = visitorOf(response);
    visitor.steps = [];
    const details = readDetails(request);
    const { url, ...asked } = await traced(visitor, 'askForPayment', () =>
      askForPayment(openId, details),
    );
    visitor.payment = asked;
    // Not a redirection: a form may lead to this site alone.
    response.set('refresh', `0; url=${url}`).send(leavingPage(viewFor(bank, response), url));
  });

  router.get('/paid', async (request, response) => {
    const visitor = visitorOf(response);
    const { payment } = visitor;
    const { code, state, error } = request.query;
    delete visitor.payment;
    const view = viewFor(bank, response);
    if (payment === undefined || state !== payment.state) {
      response.status(400).send(failurePage(view, { kind: 'wrongBrowser', code: 'STATE' }));
    } else if (typeof code !== 'string') {
      response.send(
        failurePage(view, { kind: 'refused', code: typeof error === 'string' ? error : 'NO_CODE' }),
      );
    } else if (await traced(visitor, 'isAuthorized', () => isAuthorized(openId, payment, code))) {
      response.send(paidPage(view, payment.details));
    } else {
      response.send(failurePage(view, { kind: 'notBelieved', code: 'OTHER_PAYMENT' }));
    }
  });
  return router;
}

/** The platform refuses what it cannot show. */
function readDetails(request: Request): PaymentDetails {
  return {
    type: 'payment_initiation',
    instructedAmount: { currency: 'MNT', amount: field(request, 'amount') },
    creditorName: field(request, 'payee'),
    creditorAccount: { iban: SHOP_ACCOUNT },
    remittanceInformationUnstructured: field(request, 'reference'),
  };
}
