import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type Request, type Response } from 'express';
import {
  checkCallback,
  type DeviceLinkSession,
  type NotificationSession,
  SessionFailedError,
  type SessionResult,
  signedDeviceLink,
} from '@tamga/client';
import { createClient, setting } from './settings.ts';

// A login with the citizen's phone in three ways: by push, by QR code, and by the app on the same phone as the browser.
//
//   PUBLIC_ORIGIN=https://rp.example.mn node expressLogin.js

/**
 * Session data of a visitor, on the server only: device-link sessions hold a secret. Use your own
 * session store.
 */
interface Visitor {
  login?: Login;
  user?: { readonly etsi: string; readonly name: string };
}

/** A login in progress; starting another replaces it. */
interface Login {
  readonly session: NotificationSession | DeviceLinkSession;
  /** `state` that identifies the returning browser; null: no redirect. */
  readonly state: string | null;
}

const client = createClient();
const visitors = new Map<string, Visitor>();
const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Log in to the shop' }] as const;
const isDeviceLink = (session: Login['session'] | undefined): session is DeviceLinkSession =>
  session !== undefined && 'sessionSecret' in session;

const app = express();
app.use(express.json());
app.use((_request, response, next) => {
  response.set('content-security-policy', "default-src 'self'");
  next();
});
app.use(express.static(fileURLToPath(new URL('./public', import.meta.url))));
// The library's browser entry: one file without dependencies.
const browserEntry = fileURLToPath(import.meta.resolve('@tamga/client/browser'));
app.use('/tamga', express.static(dirname(browserEntry), { index: false }));

// 1. Start, in one of three ways; the page shows the code, which the citizen compares with the phone's.
app.post('/login/push', async (request, response) => {
  const { id } = request.body as { readonly id: string };
  const session = await client.auth.notificationByEtsi(id, interactions, { generation: 'G2' });
  visitorOf(request, response).login = { session, state: null };
  response.json({ code: session.vc.value });
});

app.post('/login/qr', async (request, response) => {
  const session = await client.auth.deviceLinkAnonymous(interactions, { generation: 'G2' });
  visitorOf(request, response).login = { session, state: null };
  response.json({ code: session.vc });
});

app.post('/login/app', async (request, response) => {
  const state = randomBytes(16).toString('base64url');
  const session = await client.auth.deviceLinkAnonymous(interactions, {
    generation: 'G2',
    callbackUrl: `${setting('PUBLIC_ORIGIN')}/auth/eid/callback?state=${state}`,
  });
  visitorOf(request, response).login = { session, state };
  response.json({ code: session.vc, link: signedDeviceLink(session, { type: 'Web2App' }) });
});

// 2. The page asks for a fresh link each second: the secret that signs it stays here.
app.get('/login/link', (request, response) => {
  const session = knownVisitor(request)?.login?.session;
  if (isDeviceLink(session)) response.json({ link: signedDeviceLink(session, { type: 'QR' }) });
  else response.sendStatus(404);
});

// 3. Wait as long as the browser does, then believe nothing that is not validated.
app.get('/login/result', async (request, response) => {
  const login = knownVisitor(request)?.login;
  // A browser that was sent to the app logs in at the callback: only there is it known to be the
  // same one.
  if (login === undefined || login.state !== null) return void response.sendStatus(404);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const result = await client.session.waitForResult(login.session.sessionId, {
    signal: gone.signal,
  });
  if (result.state === 'RUNNING') return void response.sendStatus(504);
  response.json(await logIn(request, response, { ...login, result }));
});

app.get('/auth/eid/callback', async (request, response) => {
  const { session, state = null } = knownVisitor(request)?.login ?? {};
  if (!isDeviceLink(session) || state === null) return void response.sendStatus(404);
  const result = await client.session.waitForResult(session.sessionId, { maxWaitMs: 10_000 });
  const returned = new URL(request.originalUrl, setting('PUBLIC_ORIGIN'));
  checkCallback(returned, { session, result, state });
  await logIn(request, response, { session, result });
  response.redirect('/me');
});

app.get('/me', (request, response) => {
  const user = knownVisitor(request)?.user;
  if (user === undefined) response.sendStatus(401);
  else response.json(user);
});

// A refusal is the citizen's answer; any other error is logged, not shown.
app.use((error: unknown, _request: Request, response: Response, next: express.NextFunction) => {
  if (response.destroyed) return;
  if (response.headersSent) next(error);
  else if (error instanceof SessionFailedError) {
    response.status(401).json({ reason: error.endResult });
  } else {
    console.error(error);
    response.status(500).json({ reason: 'The login failed.' });
  }
});

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`http://127.0.0.1:${String(address?.port)}/`);
});

async function logIn(
  request: Request,
  response: Response,
  { session, result }: Pick<Login, 'session'> & { readonly result: SessionResult },
) {
  const { certificate, person } = client.validator.validateAuth(result, session);
  await client.validator.checkRevocation(certificate);
  const user = {
    etsi: person.etsi,
    name: `${String(person.firstName)} ${String(person.lastName)}`,
  };
  // Issues a new cookie at login, against session fixation.
  visitors.delete(cookieOf(request));
  newVisitor(response).user = user;
  return user;
}

/**
 * Visitor of a request that starts nothing. It gets no new cookie: one still under way when the login replaced the
 * cookie would log the browser out again.
 */
function knownVisitor(request: Request): Visitor | undefined {
  return visitors.get(cookieOf(request));
}

function visitorOf(request: Request, response: Response): Visitor {
  return knownVisitor(request) ?? newVisitor(response);
}

function newVisitor(response: Response): Visitor {
  const id = randomBytes(32).toString('base64url');
  const visitor: Visitor = {};
  visitors.set(id, visitor);
  response.cookie('visitor', id, { httpOnly: true, sameSite: 'lax' });
  return visitor;
}

function cookieOf(request: Request): string {
  return /(?:^|; )visitor=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
}
