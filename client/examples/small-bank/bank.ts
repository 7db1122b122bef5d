import {
  ApiError,
  type EidClient,
  NetworkError,
  RateLimitedError,
  SessionFailedError,
  sha256Base64,
  ValidationError,
} from '@tamga/client';
import { type LoginState, type LoginStatus, nextLogin } from '@tamga/client/login';

// A bank of one page and one order, whose own tests run without network: bank.test.ts.

/** Reason why nothing was done, for the customer's eyes. */
export type Reason = Extract<LoginStatus, { readonly state: 'FAILED' }>['reason'];

/** Sentence for each reason: one that is missing here does not compile. */
export const sentences: Readonly<Record<Reason, string>> = {
  TIMEOUT: 'Your phone did not answer in time.',
  USER_REFUSED: 'You refused on your phone.',
  USER_REFUSED_INTERACTION: 'You refused on your phone.',
  USER_REFUSED_DISPLAYTEXTANDPIN: 'You refused on your phone.',
  USER_REFUSED_VC_CHOICE: 'You refused on your phone.',
  USER_REFUSED_CONFIRMATIONMESSAGE: 'You refused on your phone.',
  USER_REFUSED_CERT_CHOICE: 'You refused on your phone.',
  USER_REFUSED_NOT_ME: 'You said that it was not you. We shall not ask again for now.',
  WRONG_VC: 'The code chosen on the phone was another one.',
  DOCUMENT_UNUSABLE: 'This phone cannot be used now.',
  PROTOCOL_FAILURE: 'Update the app on your phone.',
  REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP: 'Update the app on your phone.',
  EXPECTED_LINKED_SESSION: 'Begin again.',
  CANCELLED_BY_RP: 'You cancelled this.',
  SERVER_ERROR: 'Something failed. Try again later.',
  UNKNOWN: 'Something failed. Try again later.',
  NOT_BELIEVED: 'The answer could not be verified. Nothing was done.',
};

/** An order of payment: done, or why not. */
export type Payment =
  | { readonly state: 'paid'; readonly signature: string }
  | { readonly state: 'refused'; readonly sentence: string; readonly retryAfterMs?: number };

/** Has an order signed by the citizen's phone. */
export async function pay(client: EidClient, citizen: string, order: string): Promise<Payment> {
  const digest = sha256Base64(order);
  try {
    const started = await client.sign.digestByEtsi(citizen, digest, 'Pay as the page says');
    const answer = await client.session.waitForResult(started.sessionId);
    const signed = client.validator.validateSign(answer, digest, {
      session: started,
      personEtsi: citizen,
    });
    await client.validator.checkRevocation(signed.certificate);
    return { state: 'paid', signature: signed.signatureValueB64 };
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): Payment {
  if (error instanceof RateLimitedError) {
    const retryAfterMs = error.retryAfterMs ?? 60_000;
    return { state: 'refused', sentence: 'You were asked too often.', retryAfterMs };
  }
  return { state: 'refused', sentence: sentenceFor(error) };
}

function sentenceFor(error: unknown): string {
  if (error instanceof SessionFailedError) {
    const { endResult } = error;
    return sentences[endResult === null || endResult === 'OK' ? 'UNKNOWN' : endResult];
  }
  if (error instanceof ValidationError) return sentences.NOT_BELIEVED;
  if (error instanceof NetworkError) return sentences.SERVER_ERROR;
  if (!(error instanceof ApiError)) throw error;
  return error.code === 'PERSON_NOT_FOUND' || error.code === 'NO_SUITABLE_CERTIFICATE'
    ? 'This person has no phone that can sign.'
    : sentences.SERVER_ERROR;
}

/** The bank's site: the login below `/login/`, and one page for customers. */
export function createSite(client: EidClient): (request: Request) => Promise<Response> {
  const sessions = new Map<string, LoginState>();
  const visitor = (request: Request) => request.headers.get('cookie') ?? '';
  const login = nextLogin({
    client,
    interactions: 'Log in to the bank',
    session: (request) => ({
      read: () => sessions.get(visitor(request)),
      write: (state) => void sessions.set(visitor(request), state),
    }),
  });

  return (request) => {
    if (new URL(request.url).pathname.startsWith('/login/')) {
      return request.method === 'POST' ? login.POST(request) : login.GET(request);
    }
    const user = sessions.get(visitor(request))?.user;
    return Promise.resolve(
      user === undefined
        ? new Response('Log in first.', { status: 401 })
        : new Response(`Welcome, ${String(user.firstName)}.`),
    );
  };
}
