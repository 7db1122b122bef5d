import type { IssuingCa } from '../../domain/shared/issuingCas.ts';
import { anyone } from '../http/handling.ts';
import { type Route, route } from '../http/route.ts';

/**
 * CA certificates named by AIA caIssuers of issued certificates: DER, `application/pkix-cert` (RFC
 * 5280 §4.2.2.1).
 *
 * @param issuingCas in the order of `issuing`
 * @param certificates DER
 */
export function caCertificateRoutes(
  issuingCas: readonly IssuingCa[],
  { root, issuing }: { readonly root: Buffer; readonly issuing: readonly Buffer[] },
): readonly Route[] {
  const named = issuing.map((der, index) => [issuingCas[index] ?? String(index), der] as const);
  return [['root', root] as const, ...named].map(([name, der]) =>
    route({
      name: `${name.replace('-', '')}CaCertificate`,
      summary: `Get the certificate of the ${name} CA`,
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
