import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { networkOf } from '../../application/attempts.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { VerifySession } from '../../application/verification/verifySession.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { anyone } from '../http/handling.ts';
import type { RateLimit } from '../bounds/admission.ts';
import type { Brand } from '../pages/brand.ts';
import { type Reply, type RequestContext, type Route, route } from '../http/route.ts';
import { packedFor } from '../pages/contentCoding.ts';
import { assetRoutes } from './assets.ts';
import { type FoundSignature, sessionIn, sessionsIn, startPage } from './startPage.ts';
import { asksForDigests, notFoundPage, unavailablePage, verificationPage } from './page.ts';
import { chooseLanguage, type Language } from './texts.ts';

export interface VerifyRoutesOptions {
  /** Public origin of the pages. */
  readonly verifyBase: string;
  readonly verifySession: VerifySession;
  readonly rateLimit: RateLimit;
  /** Rate limit per address. */
  readonly requestsPerMinute: number;
  readonly brand: Brand;
}

/**
 * Content security policy: own files only, no inline script or style, no connection, no frame, so
 * that data of a file cannot leave the page.
 */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  // The logo.
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];
const contentSecurityPolicy = policy.join('; ');
/** Of the page with a form. */
const formPolicy = contentSecurityPolicy.replace("form-action 'none'", "form-action 'self'");
/** Of a page that asks this service for digests. */
const askingPolicy = ["connect-src 'self'", ...policy].join('; ');

/** `GET /verify/{sessionId}`: public verification page, where it starts, and its files. */
export function verifyRoutes({
  verifyBase,
  verifySession,
  rateLimit,
  requestsPerMinute,
  brand,
}: VerifyRoutesOptions): readonly Route[] {
  async function page(
    sessionId: string,
    language: Language,
    { headers }: RequestContext,
  ): Promise<Reply> {
    const pageReply = pagesFor(headers, language);
    try {
      const verification = await verifySession(sessionId);
      if (verification === null) return await pageReply(404, notFoundPage({ language, brand }));
      const asking = asksForDigests(verification) && { 'content-security-policy': askingPolicy };
      return await pageReply(
        200,
        verificationPage(verification, { language, brand }),
        asking || {},
      );
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return pageReply(503, unavailablePage({ language, brand }), {
        'retry-after': '10',
      });
    }
  }

  /** Signatures of a PDF; during an outage nothing is known of them, and the page of each says so. */
  async function found(sessionIds: readonly string[]): Promise<readonly FoundSignature[]> {
    const read = sessionIds.map(async (sessionId) => {
      const verification = await verifySession(sessionId).catch((error: unknown) => {
        if (error instanceof Unavailable) return null;
        throw error;
      });
      return { sessionId, verification };
    });
    return Promise.all(read);
  }

  return [
    ...assetRoutes(),
    route({
      name: 'verify.start',
      summary: 'Show the start page of a verification: with a PDF or the id of a session',
      method: 'GET',
      path: '/verify',
      guard: anyone,
      query: z.object({
        lang: z.string().optional().catch(undefined),
        session: z.string().max(300).optional().catch(undefined),
        of: z.string().max(400).optional().catch(undefined),
      }),
      response: { 200: 'text/html; charset=utf-8', 303: null },
      handle: async ({ query: { lang, session, of }, context }) => {
        await rateLimit.consume(networkOf(context.ip), requestsPerMinute);
        const language = chooseLanguage(lang, context.headers['accept-language']);
        const sessionId = sessionIn(session ?? '');
        if (sessionId !== null) {
          return { status: 303, headers: { location: `/verify/${sessionId}?lang=${language}` } };
        }
        const ids = sessionsIn(of ?? '');
        // Each costs as much as a page of its own.
        for (let more = ids.length; more > 1; more -= 1) {
          await rateLimit.consume(networkOf(context.ip), requestsPerMinute);
        }
        const start = startPage({ language, brand }, session ?? null, await found(ids));
        return pagesFor(context.headers, language)(200, start, {
          'content-security-policy': formPolicy,
        });
      },
    }),
    route({
      name: 'verify',
      summary: 'Show the public verification page of a signature',
      method: 'GET',
      path: '/verify/:sessionId',
      listedUnder: verifyBase,
      guard: anyone,
      params: z.object({ sessionId: z.string() }),
      // Parameters added to a link on its way are ignored.
      query: z.object({ lang: z.string().optional().catch(undefined) }),
      response: { 200: 'text/html; charset=utf-8' },
      handle: async ({ params, query, context }) => {
        await rateLimit.consume(networkOf(context.ip), requestsPerMinute);
        return page(
          params.sessionId.toLowerCase(),
          chooseLanguage(query.lang, context.headers['accept-language']),
          context,
        );
      },
    }),
    route({
      name: 'verify.made',
      summary: 'Get whether the platform made a file from the signed one, by its SHA-256',
      method: 'GET',
      path: '/verify/:sessionId/made/:sha256',
      guard: anyone,
      params: z.object({
        sessionId: z.string(),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
      response: { 200: z.strictObject({ made: z.boolean() }) },
      handle: async ({ params: { sessionId, sha256 }, context }) => {
        await rateLimit.consume(networkOf(context.ip), requestsPerMinute);
        const verification = await verifySession(sessionId.toLowerCase());
        if (verification?.kind !== 'signed') throw new Refusal('NOT_FOUND');
        return { body: { made: verification.file.made.includes(sha256) } };
      },
    }),
  ];
}

/** Makes the replies with pages for a caller. */
function pagesFor(
  { 'accept-encoding': accepted }: IncomingHttpHeaders,
  language: Language,
): (status: number, text: string, more?: Readonly<Record<string, string>>) => Promise<Reply> {
  return async (status, text, more = {}) => {
    const { body, coded } = await packedFor({ 'accept-encoding': accepted }, Buffer.from(text));
    return {
      status,
      body,
      contentType: 'text/html; charset=utf-8',
      headers: {
        'content-security-policy': contentSecurityPolicy,
        'content-language': language,
        vary: 'accept-language, accept-encoding',
        ...coded,
        ...more,
      },
    };
  };
}
