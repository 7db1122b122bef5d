import * as pkijs from 'pkijs';
import { derSequence, derUnsigned } from '../../../infrastructure/pki/kernel/der.ts';
import { issuerIds } from '../../../infrastructure/pki/ocsp/responder.ts';

/** Asks the OCSP responder at an origin about a certificate of its Personal CA. @returns the answer, DER */
export async function askOcsp(origin: string, request: Buffer): Promise<Buffer> {
  const headers = { 'content-type': 'application/ocsp-request' };
  const answer = await fetch(`${origin}/ocsp`, { method: 'POST', headers, body: request });
  return Buffer.from(await answer.arrayBuffer());
}

/** Asks the OCSP responder at an origin about a certificate of its Personal CA: 0 good, 1 revoked, 2 unknown. */
export type OcspStatusAt = (origin: string, serial: string) => Promise<number | 'tryLater'>;

/** OCSPResponseStatus (RFC 6960 §4.2.1). */
const TRY_LATER = 3;

/** @param origin where the Personal CA's certificate is read */
export async function openOcspStatus(origin: string): Promise<OcspStatusAt> {
  const requestFor = await openOcspRequests(origin);
  return async (asked, serial) => {
    const response = pkijs.OCSPResponse.fromBER(await askOcsp(asked, requestFor(serial)));
    if (response.responseStatus.valueBlock.valueDec === TRY_LATER) return 'tryLater';
    const bytes = response.responseBytes?.response.valueBlock.valueHexView ?? new Uint8Array();
    const [single] = pkijs.BasicOCSPResponse.fromBER(bytes).tbsResponseData.responses;
    return (single?.certStatus as { idBlock: { tagNumber: number } }).idBlock.tagNumber;
  };
}

/** Encodes OCSPRequests about certificates of the Personal CA, by their serial numbers. */
export async function openOcspRequests(origin: string): Promise<(serial: string) => Buffer> {
  const certificate = await fetch(`${origin}/ca/personal.cer`);
  const [issuer = Buffer.alloc(0)] = issuerIds(Buffer.from(await certificate.arrayBuffer()));
  return (serial) => {
    const id = derSequence(issuer, derUnsigned(Buffer.from(serial, 'hex')));
    return derSequence(derSequence(derSequence(derSequence(id))));
  };
}
