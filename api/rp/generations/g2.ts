import { z } from 'zod';
import {
  type RequestableAlgorithm,
  requestableAlgorithms,
} from '../../../domain/session/events.ts';
import { digestLength, type HashAlgorithm } from '../../../domain/shared/digest.ts';
import {
  base64,
  byteLength,
  commonFields,
  confirmedFields,
  detected,
  fileName,
  nonEmptyText,
  optional,
  rpChallenge,
} from './common.ts';
import { nestedInteractions } from './nestedInteractions.ts';

// Second generation of the wire protocol, nested (contract §1 G2).

/** Hash algorithms by their names in nested bodies. */
export const hashNames = {
  'SHA-256': 'SHA256',
  'SHA-384': 'SHA384',
  'SHA-512': 'SHA512',
  'SHA3-256': 'SHA3-256',
  'SHA3-384': 'SHA3-384',
  'SHA3-512': 'SHA3-512',
} as const satisfies Readonly<Record<string, HashAlgorithm>>;

type HashName = keyof typeof hashNames;

/** Name of a hash algorithm in nested responses. */
export function hashNameOf(hash: HashAlgorithm): string {
  return hash.replace(/^SHA(?=\d{3}$)/, 'SHA-');
}

const algorithmFields = {
  signatureAlgorithm: z
    .enum(requestableAlgorithms)
    .nullish()
    .transform((algorithm) => algorithm ?? 'rsassa-pss'),
  signatureAlgorithmParameters: optional(
    z.object({ hashAlgorithm: optional(z.enum(Object.keys(hashNames) as HashName[])) }),
  ),
};

const impliedHash: Readonly<Record<RequestableAlgorithm, HashAlgorithm | null>> = {
  'rsassa-pss': null,
  sha256WithRSAEncryption: 'SHA256',
  sha384WithRSAEncryption: 'SHA384',
  sha512WithRSAEncryption: 'SHA512',
};

interface Algorithms {
  readonly signatureAlgorithm: RequestableAlgorithm;
  readonly signatureAlgorithmParameters: { readonly hashAlgorithm: HashName | null } | null;
}

/** Requested hash, from the algorithm's name or its parameters. */
function hashOf(
  { signatureAlgorithm, signatureAlgorithmParameters }: Algorithms,
  otherwise: HashAlgorithm,
): HashAlgorithm {
  const named = signatureAlgorithmParameters?.hashAlgorithm ?? null;
  return impliedHash[signatureAlgorithm] ?? (named === null ? otherwise : hashNames[named]);
}

const contradiction = {
  path: ['signatureAlgorithmParameters', 'hashAlgorithm'],
  message: 'The hashAlgorithm does not match the signatureAlgorithm.',
};

function agrees(algorithms: Algorithms): boolean {
  const named = algorithms.signatureAlgorithmParameters?.hashAlgorithm ?? null;
  return named === null || hashOf(algorithms, hashNames[named]) === hashNames[named];
}

/** Distinguishes otherwise identical requests; not used further. */
const nonce = optional(nonEmptyText(30));

const nested = {
  ...commonFields,
  ...confirmedFields,
  generation: detected('G2'),
  interactions: nestedInteractions,
  nonce,
};

/** Body of a nested authentication. */
export const nestedAuthentication = z
  .object({
    ...nested,
    signatureProtocol: z.literal('ACSP_V2', 'The signatureProtocol must be ACSP_V2.'),
    signatureProtocolParameters: z
      .object({ rpChallenge, ...algorithmFields })
      .refine(agrees, contradiction),
  })
  .transform(({ interactions: { asSent, list }, signatureProtocolParameters, ...body }) => ({
    ...body,
    interactions: list,
    fileName: null,
    nested: {
      interactionsAsSent: asSent,
      signatureAlgorithm: signatureProtocolParameters.signatureAlgorithm,
      linkedSessionId: null,
    },
    content: {
      kind: 'AUTHENTICATION' as const,
      rpChallenge: signatureProtocolParameters.rpChallenge,
      hashType: hashOf(signatureProtocolParameters, 'SHA512'),
    },
  }))
  .meta({ id: 'NestedAuthentication' });

const nestedSignatureFields = {
  ...nested,
  fileName,
  signatureProtocol: z.literal(
    'RAW_DIGEST_SIGNATURE',
    'The signatureProtocol must be RAW_DIGEST_SIGNATURE.',
  ),
  signatureProtocolParameters: z
    .object({ digest: base64, ...algorithmFields })
    .refine(agrees, contradiction)
    .refine((sent) => byteLength(sent.digest) === digestLength[hashOf(sent, 'SHA256')], {
      path: ['digest'],
      message: 'The length of the digest does not match the hash (SHA-256 if none is named).',
    }),
};

const nestedSignatureObject = z.object(nestedSignatureFields);

function asSignature(
  { interactions: { asSent, list }, ...body }: z.output<typeof nestedSignatureObject>,
  linkedSessionId: string | null,
) {
  const { signatureProtocolParameters, ...others } = body;
  return {
    ...others,
    interactions: list,
    nested: {
      interactionsAsSent: asSent,
      signatureAlgorithm: signatureProtocolParameters.signatureAlgorithm,
      linkedSessionId,
    },
    content: {
      kind: 'SIGNATURE' as const,
      digest: signatureProtocolParameters.digest,
      hashType: hashOf(signatureProtocolParameters, 'SHA256'),
    },
  };
}

/** Body of a nested signature. */
export const nestedSignature = nestedSignatureObject
  .transform((body) => asSignature(body, null))
  .meta({ id: 'NestedSignature' });

/** Body of a nested signature that continues a certificate choice. */
export const linkedSignature = z
  .object({ ...nestedSignatureFields, linkedSessionID: z.uuid().toLowerCase() })
  .transform(({ linkedSessionID, ...body }) => asSignature(body, linkedSessionID))
  .meta({ id: 'LinkedSignature' });

const notOfChoice = z.literal(false, 'A certificate choice has no signals.').nullish();

/** Body of a certificate choice, which shows and signs nothing. */
export const certificateChoice = z
  .object({
    ...commonFields,
    generation: detected('G2'),
    nonce,
    riskSignals: notOfChoice,
    riskSignalsRequired: notOfChoice,
  })
  .transform((body) => ({
    ...body,
    interactions: [],
    riskSignals: null,
    riskSignalsRequired: false,
    fileName: null,
    nested: {
      interactionsAsSent: '',
      // Placeholder: the signature that follows names its own.
      signatureAlgorithm: 'rsassa-pss' as const,
      linkedSessionId: null,
    },
    content: { kind: 'CERTIFICATE_CHOICE' as const },
  }))
  .meta({ id: 'CertificateChoice' });
