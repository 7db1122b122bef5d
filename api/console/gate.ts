import type { IncomingMessage } from 'node:http';
import { readHostAndPort, writeHostAndPort } from '../../domain/shared/hosts.ts';
import { Refusal } from '../../domain/shared/refusal.ts';

/**
 * Path segments of letters, digits, full stops, underscores and hyphens: no percent-encoding, so no
 * ambiguity.
 */
const PATH = /^\/(?:v3\/admin|api\/v1\/admin\/ai|api\/v1\/ai)(?:\/[A-Za-z0-9._-]+)+$/;
const reading = new Set(['GET', 'HEAD']);
const changing = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Value of the `Allow` header. */
export const allowedMethods = [...reading, ...changing].sort().join(', ');

/**
 * Decides which requests the proxy forwards, and their path (specification, Authentication,
 * Operator API).
 *
 * @param hosts host names of the console, lower case, with the port unless it is the scheme's
 * default
 * @returns the path
 * @throws Refusal NOT_FOUND for another host or an ambiguous path, METHOD_NOT_ALLOWED,
 * PERMISSION_DENIED for a cross-site change
 */
export function admitPath(request: IncomingMessage, hosts: ReadonlySet<string>): string {
  const host = admitHost(request, hosts);
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  if (!isPlain(path)) throw new Refusal('NOT_FOUND');
  const method = request.method ?? '';
  if (changing.has(method)) expectSameSite(request, host);
  else if (!reading.has(method)) throw new Refusal('METHOD_NOT_ALLOWED');
  return path;
}

/**
 * True for requests for the operator API, also those a more lenient path parser would send there: they
 * never get a page.
 */
export function isForApi({ url = '' }: IncomingMessage): boolean {
  return !url.startsWith('/') || /^\/+(?:v3|api)(?:[/?]|$)/i.test(url);
}

/** Checks the requested host. @throws Refusal NOT_FOUND for a host that is not the console's */
export function admitHost(request: IncomingMessage, hosts: ReadonlySet<string>): string {
  const host = hostOf(request);
  if (host === null || !hosts.has(host)) throw new Refusal('NOT_FOUND');
  return host;
}

/** True for an unambiguous path of the operator API. */
export function isPlain(path: string): boolean {
  return PATH.test(path) && !path.split('/').some((step) => step === '.' || step === '..');
}

/** Requested host; null when absent or repeated. */
function hostOf({ headersDistinct }: IncomingMessage): string | null {
  const [host, ...others] = headersDistinct['host'] ?? [];
  return host === undefined || others.length > 0 ? null : canonicalHost(host);
}

function canonicalHost(host: string): string | null {
  const read = readHostAndPort(host);
  return read === null ? null : writeHostAndPort(read.host, read.port);
}

/**
 * Refuses cross-site changes by `Origin` or `Referer`, which browsers send with every change; callers
 * that send neither are not browsers.
 */
function expectSameSite({ headers }: IncomingMessage, host: string): void {
  const from = headers.origin ?? headers.referer;
  if (from === undefined || hostIn(from) !== host) throw new Refusal('PERMISSION_DENIED');
}

function hostIn(address: string): string | null {
  return URL.canParse(address) ? canonicalHost(new URL(address).host) : null;
}
