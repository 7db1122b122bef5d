import { type Request, type Response, Router } from 'express';
import type { DeviceLinkSession, SessionResult } from '@tamga/client';
import { isPassing } from '../failures.ts';
import { checkReturn } from '../flows/finishLogin.ts';
import { freshQrLink } from '../flows/loginByQr.ts';
import { waitForAnswer } from '../flows/waitForAnswer.ts';
import { failurePage } from '../pages/message.ts';
import { panel } from '../pages/panel.ts';
import { waitingPage } from '../pages/waiting.ts';
import { traced } from '../tracing.ts';
import type { Pending, Visitor } from '../visitors.ts';
import { type Bank, viewFor, visitorOf } from './exchange.ts';
import { fail } from './pending.ts';
import { settle } from './settling.ts';

/** Routes of the page that waits for the phone, and of what it asks until the answer is settled. */
export function waitingRoutes(bank: Bank): Router {
  const { client, settings } = bank;
  const { base } = settings;
  const router = Router();

  router.get('/wait', (_request, response) => {
    const { pending } = visitorOf(response);
    if (pending === undefined) response.redirect(303, `${base}/`);
    else response.send(waitingPage(viewFor(bank, response), pending));
  });

  // The page asks for a fresh link each second: the secret that signs it stays here.
  router.get('/wait/link', (_request, response) => {
    const visitor = visitorOf(response);
    const session = visitor.pending?.session;
    if (session === undefined || !('sessionSecret' in session)) response.sendStatus(404);
    else response.json({ link: traced(visitor, 'freshQrLink', () => freshQrLink(session)) });
  });

  // `next` is the page to go to; null: poll again.
  router.get('/wait/status', async (request, response) => {
    const visitor = visitorOf(response);
    const { pending } = visitor;
    if (pending === undefined) return void response.json(elsewhere(request, visitor));
    let answer: object;
    try {
      const result = await answerOf(pending, response);
      answer = await afterAnswer(request, response, pending, result);
    } catch (error) {
      if (response.destroyed) return;
      if (isPassing(error)) answer = { next: null, trouble: true };
      else answer = { next: broken(response, error) };
    }
    response.json({ ...answer, panel: panel(viewFor(bank, response), []).text });
  });

  // Callback of the app: the only route where the browser is known to be the one sent to the app.
  router.get('/callback', async (request, response) => {
    const { pending } = visitorOf(response);
    if (!isAway(pending)) {
      visitorOf(response).failure = { kind: 'wrongBrowser', code: 'NOTHING_PENDING' };
      response.redirect(303, `${base}/failure`);
      return;
    }
    const { session, state } = pending;
    const returned = new URL(request.originalUrl, settings.origin);
    try {
      const result = await answerOf(pending, response);
      // Ignores a return before the app has answered, or to a session given up or settled
      // meanwhile.
      if (result.state === 'RUNNING' || visitorOf(response).pending !== pending) {
        response.redirect(303, `${base}/wait`);
        return;
      }
      if (result.endResult === 'OK') {
        traced(visitorOf(response), 'checkReturn', () => {
          checkReturn(returned, session, result, state);
        });
      }
      response.redirect(303, await settle(bank, request, response, { pending, result }));
    } catch (error) {
      response.redirect(303, broken(response, error));
    }
  });

  router.get('/failure', (_request, response) => {
    const { failure } = visitorOf(response);
    if (failure === undefined) response.redirect(303, `${base}/`);
    else response.send(failurePage(viewFor(bank, response), failure));
  });

  router.post('/cancel', (_request, response) => {
    delete visitorOf(response).pending;
    response.redirect(303, `${base}/`);
  });

  async function answerOf({ session }: Pending, response: Response): Promise<SessionResult> {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    return traced(visitorOf(response), 'waitForAnswer', () =>
      waitForAnswer(client, session.sessionId, gone.signal),
    );
  }

  async function afterAnswer(
    request: Request,
    response: Response,
    pending: Pending,
    result: SessionResult,
  ) {
    // A concurrent request may have started another session or settled this one.
    if (visitorOf(response).pending !== pending) return elsewhere(request, visitorOf(response));
    if (result.state === 'RUNNING') return { next: null };
    if (pending.state !== null && result.endResult === 'OK') return { next: null, confirmed: true };
    return { next: await settle(bank, request, response, { pending, result }) };
  }

  /** A page sent elsewhere while it returns from the app would lose the cookie of the login that is under way. */
  function elsewhere(request: Request, { isSettling = false }: Visitor): object {
    return isSettling || !bank.visitors.knows(request)
      ? { next: null, confirmed: true }
      : { next: `${base}/` };
  }

  function broken(response: Response, error: unknown): string {
    delete visitorOf(response).pending;
    fail(response, error);
    return `${base}/failure`;
  }
  return router;
}

/** A visitor sent to the app. */
type Away = Pending & { readonly session: DeviceLinkSession; readonly state: string };

function isAway(pending: Pending | undefined): pending is Away {
  return pending !== undefined && pending.state !== null && 'sessionSecret' in pending.session;
}
