import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../domain/shared/refusal.ts';
import { readBody } from '../http/body.ts';
import { problemOf } from '../problems/problem.ts';
import { formOf } from './form.ts';
import type { WriteErrorPage } from './refusals.ts';

/** Size limit of a form, bytes: as a query it must pass proxies, many of which take 8 KiB. */
const MAX_FORM_BYTES = 7 * 1024;

/**
 * Continues a request sent as a form as the same request sent as a query (303, RFC 9110 §15.4.4).
 * Cookies with `SameSite=Lax` do not accompany a form of another site, and do accompany the
 * navigation that follows: read at once, the form would meet a browser without its login (ADR 54).
 */
export function redirectForm(
  request: IncomingMessage,
  response: ServerResponse,
  {
    path,
    requestId,
    errorPage,
  }: {
    readonly path: string;
    readonly requestId: string;
    readonly errorPage: WriteErrorPage;
  },
): void {
  const { headers } = request;
  readBody(request, response, { limit: MAX_FORM_BYTES })
    .then((rawBody) => formOf({ headers, rawBody }))
    .then(
      (form) => {
        const query = form.toString();
        const location = query === '' ? path : `${path}?${query}`;
        response.writeHead(303, { location, 'cache-control': 'no-store' }).end();
      },
      (error: unknown) => {
        if (response.destroyed || response.headersSent) return;
        const page = errorPage(problemOf(tooLargeHint(error), requestId), { headers, requestId });
        const head = { ...page.headers, 'content-type': page.contentType };
        response.writeHead(page.status, head).end(page.body);
      },
    );
}

function tooLargeHint(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.code !== 'PAYLOAD_TOO_LARGE') return error;
  const detail = `The form is larger than ${MAX_FORM_BYTES} bytes; push the request instead (RFC 9126).`;
  return new Refusal('PAYLOAD_TOO_LARGE', { detail });
}
