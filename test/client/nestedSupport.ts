import { constants, createHash, sign } from 'node:crypto';
import { buildNestedPayload } from '../../client/index.ts';
import type { HashAlgorithm, SentRequest, SessionResult } from '../../client/index.ts';
import { type Issued, okResult } from './support.ts';

// The phone's side of the second generation, by Node's own signatures: what the library checks, made another way.

/** Node's names of the hashes. */
export const nodeHash: Readonly<Record<HashAlgorithm, string>> = {
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
  'SHA3-256': 'sha3-256',
  'SHA3-384': 'sha3-384',
  'SHA3-512': 'sha3-512',
};

const hashOfScheme = {
  sha256WithRSAEncryption: 'SHA-256',
  sha384WithRSAEncryption: 'SHA-384',
  sha512WithRSAEncryption: 'SHA-512',
} as const;

const interactions = Buffer.from(
  JSON.stringify([{ type: 'displayTextAndPIN', displayText60: 'Нэвтрэх үү?' }]),
).toString('base64');

/** A second-generation authentication as it was sent; `changes` for a signature. */
export function nestedRequest(
  challengeOrDigest: string,
  changes: Partial<SentRequest> = {},
): SentRequest {
  return {
    schemeName: 'smart-id',
    signatureProtocol: 'ACSP_V2',
    flow: 'notification',
    challengeOrDigest,
    relyingPartyName: 'Жишээ банк',
    brokeredRpName: '',
    interactions,
    initialCallbackUrl: '',
    signatureAlgorithm: 'rsassa-pss',
    hashAlgorithm: 'SHA-512',
    ...changes,
  };
}

/** Signs `content` as the request asks for; over its hash, so it is a signature over that digest as well. */
function signNested(holder: Issued, content: Buffer, request: SentRequest) {
  const { signatureAlgorithm, hashAlgorithm } = request;
  if (holder.privateKey.asymmetricKeyType === 'ec') {
    const signature = sign('sha256', content, holder.privateKey);
    return { signature, signatureAlgorithm: 'ecdsa-with-SHA256', parameters: null };
  }
  if (signatureAlgorithm !== 'rsassa-pss') {
    const hash = nodeHash[hashOfScheme[signatureAlgorithm]];
    return {
      signature: sign(hash, content, holder.privateKey),
      signatureAlgorithm,
      parameters: null,
    };
  }
  const saltLength = createHash(nodeHash[hashAlgorithm]).digest().length;
  const signature = sign(nodeHash[hashAlgorithm], content, {
    key: holder.privateKey,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength,
  });
  const parameters = {
    hashAlgorithm,
    maskGenAlgorithm: { algorithm: 'id-mgf1', hashAlgorithm },
    saltLength,
    trailerField: '0xbc',
  };
  return { signature, signatureAlgorithm, parameters };
}

const answer = {
  serverRandom: 'MTlop6EXCrQ6FOErcKjxUhbV',
  userChallenge: 'GnsWXXEjTCKR89fj9uo5u5ReBZ9JR7_pezLAI5jMS00',
  interactionTypeUsed: 'displayTextAndPIN',
  flowType: 'Notification',
};

/** A completed second-generation authentication; what is in `signed` is what the phone believed and signed. */
export function nestedAuthResult(
  holder: Issued,
  request: SentRequest,
  signed: Partial<typeof answer> = {},
): SessionResult {
  const fields = { ...answer, ...signed };
  const made = signNested(holder, buildNestedPayload(request, fields), request);
  return okResult(holder, made.signature, {
    ...fields,
    signatureProtocol: 'ACSP_V2',
    signatureAlgorithm: made.signatureAlgorithm,
    signatureAlgorithmParameters: made.parameters,
  });
}

/** A completed second-generation signature over the hash of `content`. */
export function nestedSignResult(
  holder: Issued,
  content: Buffer,
  request: SentRequest,
): SessionResult {
  const made = signNested(holder, content, request);
  return okResult(holder, made.signature, {
    signatureProtocol: 'RAW_DIGEST_SIGNATURE',
    signatureAlgorithm: made.signatureAlgorithm,
    signatureAlgorithmParameters: made.parameters,
  });
}
