import { derSequence, derUnsigned, derUtf8, derValue } from '../pki/kernel/der.ts';
import { derReader, derTag, readDer, readSmallInteger } from '../pki/kernel/derReader.ts';

/** PKIFailureInfo by bit number (RFC 3161 §2.4.2). */
const failureBit = {
  badAlg: 0,
  badRequest: 2,
  badDataFormat: 5,
  timeNotAvailable: 14,
  unacceptedPolicy: 15,
  unacceptedExtension: 16,
  addInfoNotAvailable: 17,
  systemFailure: 25,
} as const;

export type FailureInfo = keyof typeof failureBit;

const GRANTED = 0;
const GRANTED_WITH_MODIFICATIONS = 1;
const REJECTION = 2;

const granted = derSequence(derUnsigned(Buffer.from([GRANTED])));

/** TimeStampResp, DER, with a token. */
export function grantingResponse(token: Uint8Array): Buffer {
  return derSequence(granted, token);
}

/** TimeStampResp, DER, with the reason for the refusal. */
export function refusingResponse(failure: FailureInfo): Buffer {
  const bit = failureBit[failure];
  const bytes = Buffer.alloc(1 + (bit >> 3) + 1);
  // Named bits have no trailing zeros in DER: the last byte ends with this one.
  bytes[0] = 7 - (bit & 7);
  bytes[bytes.length - 1] = 0x80 >> (bit & 7);
  const status = derSequence(
    derUnsigned(Buffer.from([REJECTION])),
    derSequence(derUtf8(failure)),
    derValue(derTag.bitString, bytes),
  );
  return derSequence(status);
}

/** Parsed response of an authority. */
export type TimestampAnswer =
  | { readonly status: 'granted'; readonly token: Buffer }
  | { readonly status: 'refused'; readonly reason: string };

/** Reads a TimeStampResp. @throws MalformedDer */
export function decodeTimestampResponse(bytes: Uint8Array): TimestampAnswer {
  const response = derReader(readDer(bytes, derTag.sequence).content);
  const info = response.enter(derTag.sequence);
  const status = readSmallInteger(info.element(derTag.integer));
  if (status !== GRANTED && status !== GRANTED_WITH_MODIFICATIONS) {
    info.optional(derTag.sequence);
    const failure = info.optional(derTag.bitString);
    const reasons = failure === null ? [] : failuresOf(failure.content);
    return { status: 'refused', reason: reasons.join(', ') || `status ${status}` };
  }
  const token = response.element(derTag.sequence).bytes;
  response.end();
  return { status: 'granted', token };
}

function failuresOf(bitString: Buffer): readonly string[] {
  const isSet = (bit: number) => (((bitString[1 + (bit >> 3)] ?? 0) << (bit & 7)) & 0x80) !== 0;
  return Object.entries(failureBit)
    .filter(([, bit]) => isSet(bit))
    .map(([name]) => name);
}
