import { dirname, join } from 'node:path';
import type { RequestListener } from 'node:http';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { createClient } from '../settings.ts';
import { files } from './files.ts';
import { failurePage, strayPage } from './pages/message.ts';
import { accountRoutes } from './routes/account.ts';
import { contractRoutes } from './routes/contract.ts';
import { type Bank, field, viewFor, visitorOf } from './routes/exchange.ts';
import { loginRoutes } from './routes/login.ts';
import { orderRoutes } from './routes/order.ts';
import { paymentRoutes } from './routes/payment.ts';
import { waitingRoutes } from './routes/waiting.ts';
import { bankSettings, type BankSettings, type Environment } from './settings.ts';
import { readExcerpts } from './sources.ts';
import { languageNamed, preferredLanguage } from './texts/index.ts';
import { noteCall, notingFetch } from './tracing.ts';
import { createVisitors, hasToken, type Visitor } from './visitors.ts';

/** Content security policy: only same-origin resources, nothing inline. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types tamga bank";

/**
 * Creates the bank, which recognises its customers by their phones. @param environment variables
 * listed in the README
 */
export function createDemoBank(environment: Environment): RequestListener {
  const settings = bankSettings(environment);
  const { base } = settings;
  const bank: Bank = {
    settings,
    client: createClient({
      environment,
      config: { generation: 'G2', onCall: noteCall },
      revocation: { fetchImpl: notingFetch },
    }),
    visitors: createVisitors({
      path: base || '/',
      secure: settings.origin.startsWith('https:'),
      languageOf: preferredLanguage,
    }),
    excerpts: readExcerpts(settings.directory),
  };
  const app = express();
  app.disable('x-powered-by');
  app.use(guard(settings));
  // The platform redirects to this path of the origin only; the cookie is limited to the bank's own
  // path.
  app.get('/auth/eid/callback', (request, response) => {
    const [, query = ''] = request.originalUrl.split('?');
    response.redirect(303, `${base}/callback?${query}`);
  });
  app.use(base || '/', assets(settings), pages(bank), troubles(bank));
  return app;
}

/** Headers and host check of every response. */
function guard({ origin }: BankSettings) {
  return (request: Request, response: Response, next: NextFunction) => {
    response.set({
      'cache-control': 'no-store',
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    // The cookie would be lost under another host name when the app returns.
    if (request.headers.host === new URL(origin).host) next();
    else response.redirect(308, origin + request.originalUrl);
  };
}

function assets({ directory, browserLibrary }: BankSettings): Router {
  const router = express.Router();
  router.use('/public/tamga', files(dirname(browserLibrary)));
  router.use('/public', files(join(directory, 'public')));
  return router;
}

function pages(bank: Bank): Router {
  const router = express.Router();
  // A poll overtaken by a login still brings the replaced cookie: a new one would overwrite that of the login.
  router.use(['/wait/status', '/wait/link'], (request, response, next) => {
    if (bank.visitors.knows(request)) next();
    else response.sendStatus(401);
  });
  router.use((request, response, next) => {
    const visitor = bank.visitors.of(request, response);
    visitor.language = languageNamed(request.query['lang']) ?? visitor.language;
    response.locals['visitor'] = visitor;
    next();
  });
  router.use(express.urlencoded({ extended: false, limit: '16kb' }), (request, response, next) => {
    const brought = request.get('x-csrf-token') ?? field(request, 'csrf');
    if (request.method === 'GET' || hasToken(visitorOf(response), brought)) next();
    else response.status(403).send(strayPage(viewFor(bank, response), 'badForm'));
  });
  router.use(loginRoutes(bank), waitingRoutes(bank), accountRoutes(bank));
  router.use(orderRoutes(bank), contractRoutes(bank), paymentRoutes(bank));
  router.use((_request, response) => {
    response.status(404).send(strayPage(viewFor(bank, response), 'notFound'));
  });
  return router;
}

/** Error handler. Body parsers report by `status` an upload too large or unreadable. */
function troubles(bank: Bank) {
  return (error: unknown, _request: Request, response: Response, next: NextFunction) => {
    const { status = 500 } = error as { readonly status?: number };
    if (status >= 500) console.error(error);
    const visitor = response.locals['visitor'] as Visitor | undefined;
    if (response.headersSent) next(error);
    else if (visitor === undefined) response.sendStatus(status);
    else {
      const kind = status >= 500 ? 'unexpected' : 'documentRefused';
      visitor.failure = { kind, code: `HTTP ${status}` };
      response.status(status).send(failurePage(viewFor(bank, response), visitor.failure));
    }
  };
}
