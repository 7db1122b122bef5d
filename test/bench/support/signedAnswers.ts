import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  CertificateAuthority,
  CitizenCertificateOrder,
} from '../../../application/ports/certificateAuthority.ts';
import { buildAcspV2Payload, type SessionResult } from '../../../client/index.ts';

/** A completed session of a citizen with a new certificate. */
export interface SignedAnswer {
  readonly kind: 'AUTH' | 'SIGN';
  readonly result: SessionResult;
  /** Challenge or digest, base64. */
  readonly input: string;
  /** Signed content, before hashing. */
  readonly content: Buffer;
  readonly signature: Buffer;
  readonly publicKey: KeyObject;
  /** The certificate, DER. */
  readonly certificate: Buffer;
}

const YEAR_MS = 365 * 86_400_000;

/** Order of a new citizen's certificate. */
export function newOrder(type: 'AUTH' | 'SIGN', publicKey: Buffer): CitizenCertificateOrder {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const notBefore = new Date(Math.floor(Date.now() / 1000) * 1000);
  return {
    type,
    authority: 'personal',
    level: 'QUALIFIED',
    keyType: 'P-256',
    serial: serial.toString('hex'),
    subject: { etsi: 'PNOMN-123456789012', givenName: 'Бат', surname: 'Дорж' },
    publicKey,
    notBefore,
    notAfter: new Date(notBefore.getTime() + YEAR_MS),
  };
}

/**
 * Answers as the service gives them, alternating authentications and signatures, each of another
 * citizen.
 */
export async function signAnswers(
  authority: CertificateAuthority,
  count: number,
): Promise<readonly SignedAnswer[]> {
  const answers: SignedAnswer[] = [];
  for (let index = 0; index < count; index += 1) {
    answers.push(await signAnswer(authority, index % 2 === 0 ? 'AUTH' : 'SIGN'));
  }
  return answers;
}

async function signAnswer(
  authority: CertificateAuthority,
  kind: 'AUTH' | 'SIGN',
): Promise<SignedAnswer> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const certificate = await authority.issue(newOrder(kind, spki));
  const challenge = randomBytes(64).toString('base64');
  const content = kind === 'AUTH' ? buildAcspV2Payload(challenge, spki) : randomBytes(1000);
  const digest = createHash('sha256').update(content).digest('base64');
  const signature = sign('sha256', content, privateKey);
  const result: SessionResult = {
    state: 'COMPLETE',
    endResult: 'OK',
    progress: null,
    signatures: [],
    documentNumber: '7c3f0c7e-5f0a-4d36-9f6a-9d2f6e1f2a10',
    certificateDerB64: certificate.toString('base64'),
    certificateLevel: 'QUALIFIED',
    signatureValueB64: signature.toString('base64'),
    signatureAlgorithm: 'ecdsa-with-SHA256',
    interactionTypeUsed: 'displayTextAndPIN',
    signatureProtocol: null,
    signatureAlgorithmParameters: null,
    serverRandom: null,
    userChallenge: null,
    flowType: null,
    person: null,
    onBehalfOf: null,
    riskSignals: null,
  };
  const input = kind === 'AUTH' ? challenge : digest;
  return { kind, result, input, content, signature, publicKey, certificate };
}
