import { createEndpoints } from './endpoints.ts';
import type { LoginOptions, VisitorSession } from './login.ts';

/** Options of a login of Next.js, which keeps no sessions itself. */
export interface NextLoginOptions extends LoginOptions {
  /**
   * Session of the request's visitor, of a library for Next.js. One that is kept in a cookie must be encrypted, as
   * `iron-session` does.
   */
  readonly session: (request: Request) => VisitorSession | Promise<VisitorSession>;
}

/** Route handlers of the App Router. */
export interface NextHandlers {
  /** Answers `link`, `status` and `callback`. */
  readonly GET: (request: Request) => Promise<Response>;
  /** Answers `start` and `logout`. */
  readonly POST: (request: Request) => Promise<Response>;
}

/**
 * Login for Next.js, and whatever else answers a `Request` with a `Response`. In `app/login/[action]/route.ts` and
 * `app/auth/eid/callback/route.ts`:
 *
 * `export const { GET, POST } = nextLogin({ client, interactions, session })`
 */
export function nextLogin({ session, ...options }: NextLoginOptions): NextHandlers {
  const endpoints = createEndpoints(options);

  async function handle(request: Request): Promise<Response> {
    const { method, url: address, headers } = request;
    const contentType = headers.get('content-type');
    const asked = { method, address, contentType, body: await bodyOf(request) };
    const reply = await endpoints.answer(asked, await session(request));
    if (reply === null) return new Response(null, { status: 404 });
    return reply.body === null
      ? new Response(null, { status: reply.status, headers: { ...reply.headers } })
      : Response.json(reply.body, { status: reply.status, headers: { ...reply.headers } });
  }

  return { GET: handle, POST: handle };
}

/** Parsed JSON; undefined: none, or none that can be read. */
async function bodyOf(request: Request): Promise<unknown> {
  const text = await request.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
