import { createPublicKey, hash } from 'node:crypto';
import type { Clock } from '../../application/ports/clock.ts';
import type { DeviceData, DeviceReferenceData } from '../../application/ports/referenceData.ts';
import type { ReplayStore } from './ports/replayStore.ts';
import type { SignatureVerifier } from '../../application/ports/signatureVerifier.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { Guard, RequestContext } from '../http/route.ts';

// Proof of a device's request, after RFC 9449 (DPoP): header `DPoP`, a compact JWS by the device's
// transport key. Different from the RFC: `kid` names the device instead of carrying the key; `path`
// is the request target as sent, without an origin, which proxies would change; `bh` binds the
// body.

/** Tolerance for the clocks of phones: a proof is valid this long before and after its time, ms. */
const WINDOW = 60_000;
/** Longest header accepted, characters. */
const MAX_LENGTH = 4096;

const JWS = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/;
const DOCUMENT_NUMBER = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NONCE = /^[A-Za-z0-9_-]{16,64}$/;

export interface DeviceProofDependencies {
  readonly referenceData: DeviceReferenceData;
  readonly replayStore: ReplayStore;
  readonly signatureVerifier: SignatureVerifier;
  readonly clock: Clock;
}

interface Proof {
  readonly documentNumber: string;
  readonly signed: string;
  readonly signature: Buffer;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Admits an active device whose proof is for exactly this request, current, and unused. */
export function createDeviceGuard(dependencies: DeviceProofDependencies): Guard<DeviceData> {
  const { referenceData, replayStore, signatureVerifier, clock } = dependencies;

  function isSignedBy(device: DeviceData, { signed, signature }: Proof): Promise<boolean> {
    const input = { payload: Buffer.from(signed), hash: 'SHA256' } as const;
    const key = canonicalKey(device.transportKey);
    return signatureVerifier.verify(key, input, signature, { ecdsa: 'joined' });
  }

  return {
    description: 'device proof (DPoP)',
    security: ['deviceProof'],
    actorOf: ({ documentNumber }) => ({ kind: 'device', id: documentNumber }),
    check: async (context) => {
      const proof = readProof(context.headers['dpop']);
      const issuedAt = expectMadeFor(context, proof.claims, clock.now().getTime());
      const device = await referenceData.device(proof.documentNumber);
      // Same refusal for unknown devices and wrong signatures, so that nobody learns which devices
      // exist.
      if (device === null || !(await isSignedBy(device, proof))) {
        throw invalid('The proof is not signed by the key of an enrolled device.');
      }
      const key = `${proof.documentNumber}.${String(proof.claims['jti'])}`;
      if (!(await replayStore.firstUse(key, new Date(issuedAt + WINDOW)))) {
        throw new Refusal('DEVICE_PROOF_REPLAYED');
      }
      context.identified?.({ kind: 'device', id: device.documentNumber });
      if (!device.active) throw new Refusal('DEVICE_NOT_ACTIVE');
      return device;
    },
  };
}

/** Beginning of a P-256 key with an uncompressed point, 27 bytes in base64. */
const USUAL_P256 = 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE';

/**
 * Encodes a transport key as signatures are verified with it: releases before took other encodings of a key at the
 * enrolment, and OpenSSL leaves them only by way of the numbers.
 *
 * @param stored SubjectPublicKeyInfo, base64
 */
function canonicalKey(stored: string): string {
  if (stored.startsWith(USUAL_P256)) return stored;
  try {
    const spki = Buffer.from(stored, 'base64');
    const numbers = createPublicKey({ key: spki, format: 'der', type: 'spki' }).export({
      format: 'jwk',
    });
    const key = createPublicKey({ key: numbers, format: 'jwk' });
    return key.export({ format: 'der', type: 'spki' }).toString('base64');
  } catch {
    return stored;
  }
}

function readProof(header: string | string[] | undefined): Proof {
  if (typeof header !== 'string') throw invalid('Send the header DPoP once.');
  const parts = header.length <= MAX_LENGTH ? JWS.exec(header) : null;
  const [, head, payload, signature] = parts ?? [];
  if (head === undefined || payload === undefined || signature === undefined) {
    throw invalid('The proof is not a compact JWS.');
  }
  const { typ, alg, kid } = readJson(head);
  if (typ !== 'dpop+jwt' || alg !== 'ES256') {
    throw invalid('The proof must have typ dpop+jwt and alg ES256.');
  }
  if (typeof kid !== 'string' || !DOCUMENT_NUMBER.test(kid)) {
    throw invalid('kid must be the document number.');
  }
  return {
    documentNumber: kid,
    signed: `${head}.${payload}`,
    signature: Buffer.from(signature, 'base64url'),
    claims: readJson(payload),
  };
}

function readJson(segment: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Refused below.
  }
  throw invalid('The proof is not a compact JWS of JSON objects.');
}

/** @returns time of the proof, ms since 1970 */
function expectMadeFor(
  context: RequestContext,
  { htm, path, iat, jti, bh }: Readonly<Record<string, unknown>>,
  now: number,
): number {
  if (htm !== context.method) throw invalid('htm is not the method of this call.');
  if (path !== context.target) throw invalid('path is not the path and query of this call.');
  if (bh !== bodyHash(context.rawBody)) throw invalid('bh is not the hash of the body.');
  if (typeof jti !== 'string' || !NONCE.test(jti)) {
    throw invalid('jti must be 16 to 64 base64url characters.');
  }
  if (typeof iat !== 'number' || Math.abs(now - iat * 1000) > WINDOW) {
    throw invalid('iat must be within 60 seconds of now, in seconds.');
  }
  return iat * 1000;
}

function bodyHash(body: Buffer): string {
  return hash('sha256', body, 'base64url');
}

function invalid(detail: string): Refusal {
  return new Refusal('DEVICE_PROOF_INVALID', { detail });
}
