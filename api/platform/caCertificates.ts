import { anyone } from '../http/handling.ts';
import { type Route, route } from '../http/route.ts';

/** Names of the issuing CAs, in the order of `certificates`. */
const issuingNames = ['personal', 'organization'];

/**
 * CA certificates named by AIA caIssuers of issued certificates: DER, `application/pkix-cert` (RFC
 * 5280 §4.2.2.1).
 *
 * @param certificates DER
 */
export function caCertificateRoutes({
  root,
  issuing,
}: {
  readonly root: Buffer;
  readonly issuing: readonly Buffer[];
}): readonly Route[] {
  const named = issuing.map((der, index) => [issuingNames[index] ?? String(index), der] as const);
  return [['root', root] as const, ...named].map(([name, der]) =>
    route({
      name: `${name}CaCertificate`,
      summary: `The certificate of the ${name} CA`,
      method: 'GET',
      path: `/ca/${name}.cer`,
      guard: anyone,
      response: { 200: 'application/pkix-cert' },
      handle: () => ({
        body: der,
        contentType: 'application/pkix-cert',
        headers: { 'cache-control': 'public, max-age=86400' },
      }),
    }),
  );
}
