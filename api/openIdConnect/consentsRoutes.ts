import { z } from 'zod';
import type { CitizenConsents } from '../../application/openIdConnect/citizenConsents.ts';
import { networkOf } from '../../application/attempts.ts';
import { anyone, commandContext } from '../http/handling.ts';
import type { RateLimit } from '../bounds/admission.ts';
import { type Reply, type RequestContext, type Route, route } from '../http/route.ts';
import type { Language } from '../verify/texts.ts';
import { consentsLoginPage, consentsPage } from './consentsPage.ts';
import { expectOwnPage, formOf } from './form.ts';
import { keptLanguage, languageOf } from './language.ts';
import { consentsPath } from './layout.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { failureKindOf, type PageReply, retryHeader, see } from './loginFlow.ts';
import { failurePage } from './loginPages.ts';

export interface ConsentsRoutesOptions {
  readonly reply: PageReply;
  readonly consents: CitizenConsents;
  readonly rateLimit: RateLimit;
  /** Public origin of the service. */
  readonly origin: () => string;
}

/** Rate limit per address. */
const REQUESTS_PER_MINUTE = 120;

const LONGEST_CLIENT_ID = 200;

const word = z.string().max(10).nullable().catch(null).default(null);

/** Page of a citizen's own consents. */
export function consentsRoutes({
  reply,
  consents,
  rateLimit,
  origin,
}: ConsentsRoutesOptions): readonly Route[] {
  const response = { 200: 'text/html; charset=utf-8', 303: null } as const;
  const common = { guard: anyone, response } as const;

  /** Responds with a page, also to refusals. */
  async function paged(
    context: RequestContext,
    asked: string | null,
    answer: (language: Language) => Promise<Reply>,
  ): Promise<Reply> {
    const { cookie, 'accept-language': acceptLanguage } = context.headers;
    const language = languageOf({ uiLocales: null, acceptLanguage, cookie }, asked);
    try {
      await rateLimit.consume(`consents:${networkOf(context.ip)}`, REQUESTS_PER_MINUTE);
      return await answer(language);
    } catch (error) {
      const kind = failureKindOf(error);
      if (kind === null || !(error instanceof Refusal)) throw error;
      const page = failurePage({ language, interaction: null }, kind, context.requestId);
      return reply(page, retryHeader(error));
    }
  }

  return [
    route({
      ...common,
      name: 'login.consents',
      summary: "Show the logged-in citizen's consents, or the login",
      method: 'GET',
      path: consentsPath,
      query: z.object({ lang: word, withdrawn: word }),
      handle: ({ context, query: { lang, withdrawn } }) =>
        paged(context, lang, async (language) => {
          const overview = await consents.show(context.headers.cookie);
          const page =
            overview === null
              ? consentsLoginPage(language, consents.loginAddress(language, consentsPath))
              : consentsPage(language, overview, withdrawn === 'yes');
          return reply(page, keptLanguage(lang, origin().startsWith('https:')));
        }),
    }),
    route({
      ...common,
      name: 'login.consents.return',
      summary: 'Receive the browser after the login',
      method: 'GET',
      path: `${consentsPath}/return`,
      handle: () => Promise.resolve(see(consentsPath)),
    }),
    route({
      ...common,
      name: 'login.consents.withdraw',
      summary: 'Withdraw the consent to a client; its tokens end at once',
      method: 'POST',
      path: `${consentsPath}/withdraw`,
      bodyType: 'application/x-www-form-urlencoded',
      maxBodyBytes: 1024,
      handle: ({ context }) =>
        paged(context, null, async () => {
          expectOwnPage(context, origin());
          const clientId = (formOf(context).get('client') ?? '').slice(0, LONGEST_CLIENT_ID);
          const contextOf = (civilId: string) =>
            commandContext(context, { kind: 'citizen', id: civilId }, context.requestId);
          const isDone = await consents.withdraw(context.headers.cookie, clientId, contextOf);
          return see(isDone ? `${consentsPath}?withdrawn=yes` : consentsPath);
        }),
    }),
  ];
}
