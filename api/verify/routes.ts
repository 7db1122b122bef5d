import { z } from 'zod';
import { networkOf } from '../../application/audit/anonymousRefusals.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { VerifySession } from '../../application/verification/verifySession.ts';
import { anyone } from '../http/guards.ts';
import type { RateLimit } from '../http/rateLimit.ts';
import { type Reply, type Route, route } from '../http/route.ts';
import { assetRoutes } from './assets.ts';
import { notFoundPage, unavailablePage, verificationPage } from './page.ts';
import { chooseLanguage, type Language } from './texts.ts';

export interface VerifyRoutesOptions {
  /** Public origin of the pages. */
  readonly verifyBase: string;
  readonly verifySession: VerifySession;
  readonly rateLimit: RateLimit;
  /** Rate limit per address. */
  readonly requestsPerMinute: number;
}

/**
 * Content security policy: own files only, no inline script or style, no connection, no frame, so
 * that data of a file cannot leave the page.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** `GET /verify/{sessionId}`: public verification page, and its files. */
export function verifyRoutes({
  verifyBase,
  verifySession,
  rateLimit,
  requestsPerMinute,
}: VerifyRoutesOptions): readonly Route[] {
  async function page(sessionId: string, language: Language): Promise<Reply> {
    try {
      const verification = await verifySession(sessionId);
      return verification === null
        ? pageReply(404, notFoundPage(language), language)
        : pageReply(200, verificationPage(verification, language), language);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return pageReply(503, unavailablePage(language), language, { 'retry-after': '10' });
    }
  }

  return [
    ...assetRoutes(),
    route({
      name: 'verify',
      summary: 'The public verification page of a signature',
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
        );
      },
    }),
  ];
}

function pageReply(
  status: number,
  text: string,
  language: Language,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    body: Buffer.from(text),
    contentType: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy': contentSecurityPolicy,
      'content-language': language,
      vary: 'accept-language',
      ...headers,
    },
  };
}
