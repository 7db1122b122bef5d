import { Refusal } from '../../domain/shared/refusal.ts';
import type { RequestContext } from '../http/route.ts';

/** Entity tag of a version (RFC 9110 §8.8.3). */
export function tagOf(version: number): { readonly etag: string } {
  return { etag: `"${version}"` };
}

/**
 * Version an edit is based on, from `If-Match` (RFC 9110 §13.1.1); null: absent, or `*`.
 *
 * @throws Refusal INVALID_REQUEST
 */
export function expectedVersion({ headers }: RequestContext): number | null {
  const sent = headers['if-match']?.trim();
  if (sent === undefined || sent === '*') return null;
  const version = /^"(\d{1,9})"$/.exec(sent)?.[1];
  if (version !== undefined) return Number(version);
  const detail = 'Must be one entity tag as the service sent it, for example "3".';
  throw new Refusal('INVALID_REQUEST', {
    detail,
    errors: [{ pointer: '#/header/If-Match', detail }],
  });
}
