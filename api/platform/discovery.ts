import { z } from 'zod';
import { qrFreshSeconds } from '../../domain/session/deviceLink.ts';
import {
  deviceLinkTypes,
  interactionTypes,
  requestableAlgorithms,
} from '../../domain/session/events.ts';
import { certificateLevels } from '../../domain/shared/certificateLevel.ts';
import { hashTypes, verificationCodeTypes } from '../../domain/shared/digest.ts';
import { anyone } from '../http/handling.ts';
import { hashNames } from '../rp/generations/g2.ts';
import { type Route, route, rpApi } from '../http/route.ts';

export interface DiscoveryOptions {
  /** Version of the service. */
  readonly version: string;
  /** Public origin of the relying-party API, without `/v3`. */
  readonly rpApiBase: string;
  readonly deviceLinkBase: string;
  /** Deep-link scheme of the phone app. */
  readonly appScheme: string;
  /** First field of the payload of second-generation authentications (contract §4). */
  readonly schemeName: string;
  /** Issuing CA certificates, DER. */
  readonly issuingCertificates: readonly Buffer[];
  /** Size limit of a PDF to stamp, bytes. */
  readonly maxPdfBytes: number;
  /** Routes listed under their names, taken from those actually served. */
  readonly listed: readonly Route[];
}

const texts = z.array(z.string());

const discoveryAnswer = z
  .object({
    version: z.string(),
    rp_api_base: z.url(),
    endpoints: z.record(z.string(), z.string()),
    deviceLinkBase: z.url(),
    appScheme: z.string(),
    schemeName: z.string(),
    signatureProtocols: texts,
    certificateLevels: texts,
    hashTypes: texts,
    hashAlgorithms: texts,
    interactionTypes: texts,
    signatureAlgorithms: texts,
    verificationCodeTypes: texts,
    deviceLinks: z.object({ version: z.string(), types: texts, qrFreshSeconds: z.int() }),
    pdfSigning: z.object({ maxInputBytes: z.int() }),
    issuingCertificates: texts.meta({ description: 'DER, base64' }),
  })
  .meta({ id: 'Discovery' });

/** `GET /.well-known/eid`: addresses, limits and algorithms for relying parties (contract §10). */
export function discoveryRoute(options: DiscoveryOptions): Route {
  const { version, rpApiBase, listed } = options;
  const document = {
    version,
    rp_api_base: rpApiBase,
    endpoints: Object.fromEntries(
      listed
        .filter(({ listedUnder = null }) => listedUnder !== null)
        .map(({ name, path, listedUnder }) => [
          name,
          `${listedUnder === rpApi ? rpApiBase : listedUnder}${path.replaceAll(/[:*](\w+)/g, '{$1}')}`,
        ]),
    ),
    deviceLinkBase: options.deviceLinkBase,
    appScheme: options.appScheme,
    schemeName: options.schemeName,
    signatureProtocols: ['ACSP_V2', 'RAW_DIGEST_SIGNATURE'],
    certificateLevels,
    hashTypes,
    hashAlgorithms: Object.keys(hashNames),
    interactionTypes,
    signatureAlgorithms: [
      ...hashTypes.map((hash) => `ecdsa-with-${hash}`),
      ...requestableAlgorithms,
    ],
    verificationCodeTypes,
    deviceLinks: { version: '1.0', types: deviceLinkTypes, qrFreshSeconds },
    pdfSigning: { maxInputBytes: options.maxPdfBytes },
    issuingCertificates: options.issuingCertificates.map((der) => der.toString('base64')),
  };
  const body = Buffer.from(JSON.stringify(document));
  return route({
    name: 'discovery',
    summary: 'Get the discovery document of the service',
    method: 'GET',
    path: '/.well-known/eid',
    guard: anyone,
    response: { 200: discoveryAnswer },
    handle: () => ({
      body,
      contentType: 'application/json',
      headers: { 'cache-control': 'public, max-age=300' },
    }),
  });
}
