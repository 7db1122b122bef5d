import { randomBytes } from 'node:crypto';
import type { CertificateStatusSource } from '../certificateStatus.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import { Unavailable } from '../../../application/ports/faults.ts';
import { readUpTo } from '../../boundedBody.ts';
import { certificateFields } from '../kernel/certificateFields.ts';
import { parseX509 } from '../certificationPath.ts';
import { derExplicit, derOctetString, derSequence, derValue } from '../kernel/der.ts';
import { derTag } from '../kernel/derReader.ts';
import { rawExtension } from '../extensions.ts';
import { oid } from '../kernel/oids.ts';
import { parseSignedCertificate, read } from '../parsedCertificate.ts';
import { certificateIdParts } from './issuerIds.ts';
import { authorityClockMs, type CertificateAnswer, readOcspResponse } from './readResponse.ts';

export interface OcspClientOptions {
  readonly clock: Clock;
  /** Timeout of a responder, milliseconds; default 5000. */
  readonly timeoutMs?: number;
  /** Called after every request. @param status the HTTP status, or `error` without a complete response */
  readonly onCalled?: (status: string, seconds: number) => void;
}

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

  async function ask(url: string, certificate: Buffer, issuer: Buffer) {
    const { serial } = certificateFields(certificate);
    const id = derSequence(certificateIdParts(issuer), derValue(derTag.integer, serial));
    const nonce = derOctetString(randomBytes(NONCE_BYTES));
    const extensions = derExplicit(2, derSequence(rawExtension(oid.ocspNonce, nonce)));
    const request = derSequence(derSequence(derSequence(derSequence(id)), extensions));
    const now = clock.now();
    const answer = readOcspResponse(await post(url, request), {
      id,
      nonce,
      issuer: parseX509(issuer),
      now,
    });
    if (answer === null) throw new Error('The response has no status for the certificate.');
    if (!isFresh(answer, now)) throw new Error('The response of the responder is out of date.');
    return answer.status;
  }

  return {
    async isRevoked(certificate, issuer) {
      const url = responderOf(certificate);
      if (url === null && parseX509(certificate).ca) return false;
      try {
        if (url === null) throw new Error('The certificate names no responder.');
        return (await ask(url, certificate, issuer)) !== 'GOOD';
      } catch (error) {
        throw new Unavailable('certificateStatus', error);
      }
    },
  };
}

function responderOf(certificate: Buffer): string | null {
  const named = read.accessDescriptions(parseSignedCertificate(certificate)) ?? [];
  const found = named.find(({ accessMethod }) => accessMethod === oid.ocsp);
  return found !== undefined && /^https?:\/\//i.test(found.url) ? found.url : null;
}

function isFresh({ thisUpdate, nextUpdate }: CertificateAnswer, now: Date): boolean {
  const time = now.getTime();
  const oldest = nextUpdate === null ? OLDEST_MS : OLDEST_STATED_MS;
  const until = Math.min(nextUpdate?.getTime() ?? Infinity, thisUpdate.getTime() + oldest);
  return thisUpdate.getTime() <= time + authorityClockMs && time <= until + authorityClockMs;
}
