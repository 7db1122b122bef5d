import type { Problem, WrittenRefusal } from '../problems/problem.ts';
import type { RequestContext } from '../http/route.ts';
import type { OidcPages } from './ports/oidcPages.ts';

const errors: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'access_denied',
  429: 'temporarily_unavailable',
  503: 'temporarily_unavailable',
};

function errorOf({ status }: Pick<Problem, 'status'>): string {
  return errors[status] ?? (status < 500 ? 'invalid_request' : 'server_error');
}

/** Writes a refusal as an OAuth error (RFC 6749 §5.2), for endpoints called by programs. */
export function asOauthError(problem: Problem): WrittenRefusal {
  return {
    status: problem.status,
    contentType: 'application/json',
    body: { error: errorOf(problem), error_description: problem.detail },
  };
}

/** Writes refusals as pages, for endpoints that browsers open. */
export type WriteErrorPage = (
  problem: Problem,
  context: Pick<RequestContext, 'headers' | 'requestId'>,
) => WrittenRefusal;

/** Writes a refusal as one of these pages. */
export function asErrorPage(
  pages: Pick<OidcPages, 'error'>,
  ...[problem, { headers, requestId }]: Parameters<WriteErrorPage>
): WrittenRefusal {
  const page = pages.error(
    { uiLocales: null, acceptLanguage: headers['accept-language'], cookie: headers.cookie },
    {
      error: errorOf(problem),
      description: problem.detail,
      requestId,
      status: problem.status,
    },
  );
  const { 'content-type': contentType = 'text/html; charset=utf-8', ...own } = page.headers;
  return { status: page.status, contentType, headers: own, body: page.html };
}
