import { Refusal } from '../../domain/shared/refusal.ts';
import type { RequestContext } from '../http/route.ts';
import { isStorable } from '../http/body.ts';

const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/**
 * Parses a form as sent by browsers (WHATWG URL §5.1).
 *
 * @throws Refusal UNSUPPORTED_MEDIA_TYPE, INVALID_REQUEST
 */
export function formOf({
  headers,
  rawBody,
}: Pick<RequestContext, 'headers' | 'rawBody'>): URLSearchParams {
  if (rawBody.length > 0 && !FORM.test(headers['content-type'] ?? '')) {
    const detail = 'Send the form as application/x-www-form-urlencoded.';
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', {
      detail,
      errors: [{ pointer: '#/header/content-type', detail }],
    });
  }
  const fields = new URLSearchParams(rawBody.toString('utf8'));
  if ([...fields.values()].every(isStorable)) return fields;
  throw new Refusal('INVALID_REQUEST', { detail: 'Text must not contain U+0000.' });
}

/**
 * Checks the headers by which browsers report the page that sent a form; other sites cannot send
 * the cookies it needs anyway (`SameSite=Lax`).
 *
 * @param origin public origin of the service
 * @throws Refusal PERMISSION_DENIED
 */
export function expectOwnPage({ headers }: RequestContext, origin: string): void {
  const site = headers['sec-fetch-site'];
  const from = headers.origin;
  const isForeign =
    site === undefined ? from !== undefined && from !== origin : site !== 'same-origin';
  if (isForeign) {
    throw new Refusal('PERMISSION_DENIED', { detail: 'The form was sent by another site.' });
  }
}
