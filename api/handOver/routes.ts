import { z } from 'zod';
import { networkOf } from '../../application/attempts.ts';
import type { TakeSecret } from '../../application/relyingParty/takeSecret.ts';
import type { RateLimit } from '../bounds/admission.ts';
import { anyone, commandContext } from '../http/handling.ts';
import { type RequestContext, type Route, route } from '../http/route.ts';
import { languageOf } from '../openIdConnect/language.ts';
import type { PageReply } from '../openIdConnect/loginFlow.ts';
import { handOverPage, handOverPath } from './page.ts';

export interface HandOverOptions {
  readonly takeSecret: TakeSecret;
  /** Environment variables of a program with this secret. */
  readonly variablesOf: (
    taken: Awaited<ReturnType<TakeSecret>>,
  ) => Readonly<Record<string, string>>;
  readonly rateLimit: RateLimit;
  /** Reply with a page in the operator's look. */
  readonly reply: PageReply;
}

/** Rate limit per address: a person opens one link. */
const REQUESTS_PER_MINUTE = 30;

const word = z.string().nullable().catch(null).default(null);

/** The page of a link that hands a secret over, and what its button asks for. */
export function handOverRoutes({
  takeSecret,
  variablesOf,
  rateLimit,
  reply,
}: HandOverOptions): readonly Route[] {
  const counted = ({ ip }: RequestContext) =>
    rateLimit.consume(`hand-over:${networkOf(ip)}`, REQUESTS_PER_MINUTE);

  return [
    route({
      name: 'handOver',
      summary: 'Show the page of a hand-over link, with its button',
      method: 'GET',
      path: handOverPath,
      guard: anyone,
      query: z.object({ lang: word }),
      response: { 200: 'text/html; charset=utf-8' },
      handle: async ({ context, query }) => {
        await counted(context);
        const { cookie, 'accept-language': acceptLanguage } = context.headers;
        return reply(
          handOverPage(languageOf({ uiLocales: null, acceptLanguage, cookie }, query.lang)),
        );
      },
    }),
    route({
      name: 'handOver.take',
      summary: 'Create the secret that the link offers and show it once; the former one ends',
      method: 'POST',
      path: handOverPath,
      guard: anyone,
      body: z.strictObject({ token: z.string().max(200) }),
      response: {
        200: z.strictObject({ name: z.string(), variables: z.record(z.string(), z.string()) }),
      },
      handle: async ({ context, body: { token } }) => {
        await counted(context);
        const nobody = { kind: 'unknown', id: 'link' } as const;
        const taken = await takeSecret(token, (id) => commandContext(context, nobody, id));
        return {
          body: { name: taken.name, variables: variablesOf(taken) },
          headers: { 'cache-control': 'no-store' },
        };
      },
    }),
  ];
}
