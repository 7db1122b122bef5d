import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Requests being served, with how the certificate of each is read. */
const presented = new WeakMap<IncomingMessage, () => Uint8Array | null>();

/** Notes how the client certificate of a request is read. @param read DER; null, or omitted: none */
export function presentCertificate(
  request: IncomingMessage,
  read: (() => Uint8Array | null) | undefined,
): void {
  if (read !== undefined) presented.set(request, read);
}

/**
 * Mutual TLS (RFC 8705) by certificates that are registered by their thumbprints, as those of relying parties are: no
 * authority vouches for them. The service's connection or a trusted proxy has verified the key.
 */
export const mutualTls = {
  mTLS: {
    enabled: true,
    certificateBoundAccessTokens: true,
    selfSignedTlsClientAuth: true,
    getCertificate: ({ req }: { readonly req: IncomingMessage }): X509Certificate | undefined => {
      const der = presented.get(req)?.() ?? null;
      return der === null ? undefined : new X509Certificate(der);
    },
  },
} as const;

/** Endpoints at which a client authenticates, or a token that is bound to its certificate is taken. */
const presentedAt = [
  'token',
  'introspection',
  'revocation',
  'pushed_authorization_request',
  'backchannel_authentication',
  'device_authorization',
  'userinfo',
];

/**
 * Addresses at which clients present their certificates (RFC 8705 §5), for the discovery document. A browser asked for a
 * certificate at its own address would ask its user.
 *
 * @param base origin; undefined: the same addresses
 */
export function mtlsAliases(
  base: string | undefined,
  routes: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  if (base === undefined) return {};
  const endpoints = presentedAt.map((name) => [
    `${name}_endpoint`,
    `${new URL(base).origin}${routes[name] ?? ''}`,
  ]);
  return { mtls_endpoint_aliases: Object.fromEntries(endpoints) as Record<string, string> };
}
