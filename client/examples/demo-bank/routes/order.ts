import { type Request, Router } from 'express';
import { sha256Base64 } from '@tamga/client';
import { money } from '../pages/layout.ts';
import { failurePage } from '../pages/message.ts';
import { orderPage } from '../pages/receipt.ts';
import { filled, type Texts, texts } from '../texts/index.ts';
import type { Customer, PaymentOrder } from '../visitors.ts';
import { type Bank, field, viewFor, visitorOf } from './exchange.ts';
import { channelNamed } from './pending.ts';
import { askForSignature, customerOrLogin, interactionsOf } from './signing.ts';

const MOST_TOGROG = 5_000_000;

/** Payment orders: the customer signs their exact text. */
export function orderRoutes(bank: Bank): Router {
  const router = Router();

  router.post('/orders', async (request, response) => {
    const customer = customerOrLogin(bank, response);
    if (customer === null) return;
    const t = texts[visitorOf(response).language];
    const order = readOrder(request, customer, t);
    const channel = channelNamed(field(request, 'channel'));
    if (order === null || channel === null) {
      const view = viewFor(bank, response);
      response.status(400).send(failurePage(view, { kind: 'invalidInput', code: 'ORDER' }));
      return;
    }
    const digest = sha256Base64(order.text);
    const shown = { payee: order.payee, reference: order.reference, amount: money(order.amount) };
    await askForSignature(bank, response, {
      channel,
      purpose: { kind: 'order', order, digest },
      toSign: {
        etsi: customer.etsi,
        digest,
        ...(order.onBehalfOf === null ? {} : { onBehalfOf: order.onBehalfOf }),
        interactions: interactionsOf(
          channel,
          filled(t.ask.order, shown),
          filled(t.ask.orderLong, shown),
        ),
      },
    });
  });

  router.get('/orders/:sessionId', (request, response, next) => {
    const { orders } = visitorOf(response);
    const order = orders.find(({ receipt }) => receipt.sessionId === request.params.sessionId);
    if (order === undefined) next();
    else response.send(orderPage(viewFor(bank, response), order));
  });
  return router;
}

/** Reads a payment order; null when a field is missing or invalid. */
function readOrder(request: Request, customer: Customer, t: Texts): PaymentOrder | null {
  const payee = field(request, 'payee').slice(0, 60);
  const reference = field(request, 'reference').slice(0, 80);
  const amount = Number(field(request, 'amount'));
  const onBehalfOf = field(request, 'onBehalfOf') || null;
  if (payee === '' || !Number.isInteger(amount) || amount < 1 || amount > MOST_TOGROG) return null;
  const organization = customer.representations.find(({ orgEtsi }) => orgEtsi === onBehalfOf);
  const text = filled(t.order.text, {
    payee,
    reference,
    amount: money(amount),
    etsi: customer.etsi,
    from: organization?.orgName ?? t.account.current,
    name: `${customer.givenName} ${customer.surname}`,
  });
  return { payee, amount, reference, onBehalfOf, text };
}
