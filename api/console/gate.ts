import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../domain/shared/refusal.ts';

/** Steps of letters, digits, full stops, underscores and hyphens: nothing encoded, so nothing that means two things. */
const PATH = /^\/(?:v3\/admin|api\/v1\/admin\/ai|api\/v1\/ai)(?:\/[A-Za-z0-9._-]+)+$/;
const reading = new Set(['GET', 'HEAD']);
const changing = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** What `Allow` says. */
export const allowedMethods = [...reading, ...changing].sort().join(', ');

/**
 * Lets on what may go through the proxy, and says where it goes (specification, Authentication, Operator API).
 *
 * @param hosts names the console answers to, lower case, with the port where it is not the scheme's own
 * @returns the path
 * @throws Refusal NOT_FOUND for another host or a path that is not plain, METHOD_NOT_ALLOWED, PERMISSION_DENIED for a
 *   change another site asks for
 */
export function admitted(request: IncomingMessage, hosts: ReadonlySet<string>): string {
  const host = admittedHost(request, hosts);
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  if (!isPlain(path)) throw new Refusal('NOT_FOUND');
  const method = request.method ?? '';
  if (changing.has(method)) expectSameSite(request, host);
  else if (!reading.has(method)) throw new Refusal('METHOD_NOT_ALLOWED');
  return path;
}

/** Whether a request is for the operator API, or would be for one who reads paths more freely: never for a page. */
export function isForApi({ url = '' }: IncomingMessage): boolean {
  return !url.startsWith('/') || /^\/+(?:v3|api)(?:[/?]|$)/i.test(url);
}

/** The host asked for. @throws Refusal NOT_FOUND for one the console does not answer to */
export function admittedHost(request: IncomingMessage, hosts: ReadonlySet<string>): string {
  const host = hostOf(request);
  if (host === null || !hosts.has(host)) throw new Refusal('NOT_FOUND');
  return host;
}

/** Whether a path leads into the operator API and means one thing alone. */
export function isPlain(path: string): boolean {
  return PATH.test(path) && !path.split('/').some((step) => step === '.' || step === '..');
}

/** The one host asked for; null without one, and with more than one. */
function hostOf({ headersDistinct }: IncomingMessage): string | null {
  const [host, ...others] = headersDistinct['host'] ?? [];
  return host === undefined || others.length > 0 ? null : host.toLowerCase();
}

/** Browsers say where a change comes from, whichever page sends it; what says nothing is no browser. */
function expectSameSite({ headers }: IncomingMessage, host: string): void {
  const from = headers.origin ?? headers.referer;
  if (from === undefined || hostIn(from) !== host) throw new Refusal('PERMISSION_DENIED');
}

function hostIn(address: string): string | null {
  try {
    return new URL(address).host;
  } catch {
    return null;
  }
}
