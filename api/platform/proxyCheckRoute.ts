import { z } from 'zod';
import { Refusal } from '../../domain/shared/refusal.ts';
import { type Guard, type Route, route } from '../http/route.ts';

export const proxyCheckPath = '/v3/proxy-check';
export const proxyCheckHeader = 'x-proxy-check';

export const proxyCheckAnswer = z
  .strictObject({
    address: z
      .string()
      .meta({ description: "The caller's address, as rate limits and allowlists see it" }),
    clientCertificate: z.string().nullable().meta({ description: 'SHA-256 fingerprint' }),
    host: z.string().nullable(),
    forwardedFor: z.string().nullable(),
  })
  .meta({ id: 'ProxyCheck' });

/**
 * `GET /v3/proxy-check`: what this service believed of a request that came through its proxy, for `check-config` of the
 * same installation.
 */
export function proxyCheckRoute(isTicket: (ticket: string) => boolean): Route {
  const guard: Guard<null> = {
    description: 'check-config of this installation',
    check({ headers }) {
      const ticket = headers[proxyCheckHeader];
      if (typeof ticket === 'string' && isTicket(ticket)) return null;
      throw new Refusal('UNAUTHENTICATED', {
        detail: 'For `./tamga check-config --proxy` with the master key of this installation.',
      });
    },
  };
  return route({
    name: 'proxyCheck',
    summary: 'Get what the service concluded about a request that came through the proxy',
    method: 'GET',
    path: proxyCheckPath,
    guard,
    response: { 200: proxyCheckAnswer },
    handle: ({ context: { ip, clientCertificate, headers } }) => ({
      body: {
        address: ip,
        clientCertificate,
        host: headers.host ?? null,
        forwardedFor: [headers['x-forwarded-for'] ?? []].flat().join(', ') || null,
      },
      headers: { 'cache-control': 'no-store' },
    }),
  });
}
