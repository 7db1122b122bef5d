import type { IncomingHttpHeaders } from 'node:http';
import type { RevocationList } from '../../application/certificate/ports/revocationLists.ts';
import { anyone } from '../http/handling.ts';
import {
  generationOf,
  type IssuingAuthority,
  type IssuingCa,
  kindOf,
} from '../../domain/shared/issuingCas.ts';
import { type Reply, type Route, route, rpApi } from '../http/route.ts';

/** CRL distribution points in certificates of the first generations, and of the issuing CAs themselves. */
const firstLists = {
  personal: { name: 'crl', path: '/crl' },
  organization: { name: 'crlOrganization', path: '/crl/org' },
  root: { name: 'crlRoot', path: '/crl/root' },
} as const;

function listOf(authority: IssuingAuthority): { readonly name: string; readonly path: string } {
  if (authority === 'root') return firstLists.root;
  const generation = generationOf(authority);
  const { name } = firstLists[kindOf(authority)];
  return generation === 1
    ? firstLists[kindOf(authority)]
    : { name: `${name}${generation}`, path: `/crl/${authority}` };
}

/** Max-age, s: bounds the delay of a revocation in caches; the CRL itself is seconds behind. */
const MAX_AGE = 60;

/** `GET /crl`, `/crl/org`, `/crl/personal-2`, …, `/crl/root`: current CRL of each CA (contract §10). Public. */
export function revocationListRoutes(
  issuingCas: readonly IssuingCa[],
  newest: (authority: IssuingAuthority) => Promise<RevocationList>,
): readonly Route[] {
  return [...issuingCas, 'root' as const].map((authority) => {
    const { name, path } = listOf(authority);
    let last: Replies | undefined;
    return route({
      name,
      summary: `Get the revocation list of the ${authority} CA`,
      method: 'GET',
      path,
      listedUnder: rpApi,
      guard: anyone,
      response: { 200: 'application/pkix-crl' },
      handle: async ({ context }) => {
        const list = await newest(authority);
        if (last?.list !== list) last = repliesFor(list);
        return isUnchanged(context.headers, list) ? last.unchanged : last.whole;
      },
    });
  });
}

/** Prepared replies, valid until the next CRL. */
interface Replies {
  readonly list: RevocationList;
  readonly whole: Reply;
  readonly unchanged: Reply;
}

function repliesFor(list: RevocationList): Replies {
  const headers = {
    etag: etagOf(list),
    'last-modified': list.thisUpdate.toUTCString(),
    'cache-control': `public, max-age=${MAX_AGE}`,
  };
  return {
    list,
    whole: { body: list.der, contentType: 'application/pkix-crl', headers },
    unchanged: { status: 304, headers },
  };
}

function etagOf({ number }: RevocationList): string {
  return `"${number.toString(16)}"`;
}

/** Evaluates If-None-Match, and only without it If-Modified-Since (RFC 9110 §13.2.2). */
function isUnchanged(headers: IncomingHttpHeaders, list: RevocationList): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers;
  if (tags !== undefined) {
    const wanted = tags.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    return wanted.includes('*') || wanted.includes(etagOf(list));
  }
  return since !== undefined && list.thisUpdate.getTime() <= Date.parse(since);
}
