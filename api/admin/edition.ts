import { Refusal } from '../../domain/shared/refusal.ts';
import type { RequestContext } from '../http/route.ts';

/** The entity tag of a version of what operators edit (RFC 9110 §8.8.3). */
export function tagOf(version: number): { readonly etag: string } {
  return { etag: `"${version}"` };
}

/**
 * The version an edit was made from, of `If-Match` (RFC 9110 §13.1.1); null: none was named, or any will do.
 *
 * @throws Refusal INVALID_REQUEST
 */
export function expectedVersion({ headers }: RequestContext): number | null {
  const sent = headers['if-match']?.trim();
  if (sent === undefined || sent === '*') return null;
  const version = /^"(\d{1,9})"$/.exec(sent)?.[1];
  if (version !== undefined) return Number(version);
  const detail = 'One entity tag as it was answered, for example "3".';
  throw new Refusal('INVALID_REQUEST', {
    detail,
    errors: [{ pointer: '#/header/If-Match', detail }],
  });
}
