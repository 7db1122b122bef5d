import { randomBytes } from 'node:crypto';
import type { CertificateStatusSource } from '../certificateStatus.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import { Unavailable } from '../../../application/ports/faults.ts';
import { readUpTo } from '../../boundedBody.ts';
import { type CertificateDetails, readCertificate } from '../kernel/certificate.ts';
import { ocspAddresses } from '../kernel/locations.ts';
import { buildOcspRequest, type OcspAnswer, readOcspAnswer } from '../kernel/ocsp.ts';

export interface OcspClientOptions {
  readonly clock: Clock;
  /** Timeout of a responder, milliseconds; default 5000. */
  readonly timeoutMs?: number;
  /** Called after every request. @param status the HTTP status, or `error` without a complete response */
  readonly onCalled?: (status: string, seconds: number) => void;
}

/** Difference allowed between this clock and an authority's, ms. */
const authorityClockMs = 5 * 60_000;

const NONCE_BYTES = 16;
const MAX_RESPONSE_BYTES = 65_536;
/** Oldest response accepted without nextUpdate, ms. */
const OLDEST_MS = 24 * 3_600_000;
/** Oldest response accepted whatever it says of its nextUpdate, ms: as long as public CAs may prepare one. */
const OLDEST_STATED_MS = 10 * 24 * 3_600_000;

/**
 * Requests the status from the responder named in a certificate (RFC 6960, RFC 5280 §4.2.2.1). A CA certificate that
 * names none is accepted: it is covered by a CRL at best. A person's must name one; a status of `unknown` counts as
 * revoked.
 */
export function createOcspClient({
  clock,
  timeoutMs = 5000,
  onCalled = () => undefined,
}: OcspClientOptions): CertificateStatusSource {
  async function post(url: string, request: Buffer): Promise<Buffer> {
    const started = performance.now();
    let status = 'error';
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/ocsp-request' },
        body: request,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const bytes = await readUpTo(response, MAX_RESPONSE_BYTES);
      status = String(response.status);
      if (response.status !== 200) throw new Error(`The responder answered ${status}.`);
      return bytes;
    } finally {
      onCalled(status, (performance.now() - started) / 1000);
    }
  }

  async function ask(url: string, certificate: CertificateDetails, issuer: CertificateDetails) {
    const question = { certificate, issuer, nonce: randomBytes(NONCE_BYTES) };
    const now = clock.now();
    const answer = readOcspAnswer(await post(url, buildOcspRequest(question)), question, {
      now,
      clockSkewMs: authorityClockMs,
      withoutNextUpdateMs: OLDEST_MS,
    });
    if (isTooOld(answer, now)) throw new Error('The response of the responder is out of date.');
    return answer.status;
  }

  return {
    async isRevoked(certificate, issuer) {
      const asked = readCertificate(certificate);
      const [url] = ocspAddresses(asked);
      if (url === undefined && asked.isCa) return false;
      try {
        if (url === undefined) throw new Error('The certificate names no responder.');
        return (await ask(url, asked, readCertificate(issuer))) !== 'good';
      } catch (error) {
        throw new Unavailable('certificateStatus', error);
      }
    },
  };
}

function isTooOld({ thisUpdate }: OcspAnswer, now: Date): boolean {
  return now.getTime() > thisUpdate + OLDEST_STATED_MS + authorityClockMs;
}
