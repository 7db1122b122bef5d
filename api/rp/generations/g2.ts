import { z } from 'zod';
import {
  type Interaction,
  type RequestableAlgorithm,
  requestableAlgorithms,
} from '../../../domain/session/events.ts';
import { digestLength, type HashAlgorithm } from '../../../domain/shared/digest.ts';
import { isStorable } from '../../http/body.ts';
import {
  base64,
  byteLength,
  commonFields,
  fileName,
  nonEmptyText,
  optional,
  rpChallenge,
} from './common.ts';

// The second generation of the wire protocol, nested (contract §1 G2).

/** Hash algorithms by their names in nested bodies and answers. */
export const hashNames = {
  'SHA-256': 'SHA256',
  'SHA-384': 'SHA384',
  'SHA-512': 'SHA512',
  'SHA3-256': 'SHA3-256',
  'SHA3-384': 'SHA3-384',
  'SHA3-512': 'SHA3-512',
} as const satisfies Readonly<Record<string, HashAlgorithm>>;

type HashName = keyof typeof hashNames;

/** The name nested answers give a hash algorithm. */
export function hashNameOf(hash: HashAlgorithm): string {
  return hash.replace(/^SHA(?=\d{3}$)/, 'SHA-');
}

const storable = (schema: ReturnType<typeof nonEmptyText>) =>
  schema.refine(isStorable, 'Must not contain U+0000 or a half of a surrogate pair.');

const interactionList = z
  .array(
    z.discriminatedUnion(
      'type',
      [
        z.object({
          type: z.literal('displayTextAndPIN'),
          displayText60: storable(nonEmptyText(60)),
        }),
        z.object({
          type: z.literal(['confirmationMessage', 'confirmationMessageAndVerificationCodeChoice']),
          displayText200: storable(nonEmptyText(200)),
        }),
      ],
      'The type is none of those served.',
    ),
  )
  .min(1, 'At least one interaction is needed.')
  .refine(
    (list) => new Set(list.map(({ type }) => type)).size === list.length,
    'Each type at most once: the signature names nothing but the type.',
  );

/** Base64 of the UTF-8 text of a JSON array; kept beside what it says, for the text itself is what gets signed. */
const interactions = base64.transform((asSent, context) => {
  const fail = (path: PropertyKey[], message: string) =>
    void context.issues.push({ code: 'custom', input: asSent, path, message });
  const parsed = interactionList.safeParse(jsonIn(asSent));
  if (parsed.success) return { asSent, list: parsed.data satisfies readonly Interaction[] };
  for (const issue of parsed.error.issues) fail(issue.path, issue.message);
  return z.NEVER;
});

function jsonIn(encoded: string): unknown {
  try {
    return JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
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

/** The hash asked for, by the algorithm's name or its parameters. */
function hashOf(
  { signatureAlgorithm, signatureAlgorithmParameters }: Algorithms,
  otherwise: HashAlgorithm,
): HashAlgorithm {
  const named = signatureAlgorithmParameters?.hashAlgorithm ?? null;
  return impliedHash[signatureAlgorithm] ?? (named === null ? otherwise : hashNames[named]);
}

const contradiction = {
  path: ['signatureAlgorithmParameters', 'hashAlgorithm'],
  message: 'The hashAlgorithm is not that of the signatureAlgorithm.',
};

function agrees(algorithms: Algorithms): boolean {
  const named = algorithms.signatureAlgorithmParameters?.hashAlgorithm ?? null;
  return named === null || hashOf(algorithms, hashNames[named]) === hashNames[named];
}

/** Tells apart requests that are the same otherwise; nothing more is done with it. */
const nonce = optional(nonEmptyText(30));

const nested = {
  ...commonFields,
  generation: z.literal('G2'),
  interactions,
  nonce,
};

/** A nested authentication. */
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
  }));

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
      message: 'The length of the digest is not that of the hash (SHA-256 when none is named).',
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

/** A nested signature. */
export const nestedSignature = nestedSignatureObject.transform((body) => asSignature(body, null));

/** A nested signature that continues a certificate choice. */
export const linkedSignature = z
  .object({ ...nestedSignatureFields, linkedSessionID: z.uuid().toLowerCase() })
  .transform(({ linkedSessionID, ...body }) => asSignature(body, linkedSessionID));

/** A certificate choice: nothing is shown and nothing is signed. */
export const certificateChoice = z
  .object({ ...commonFields, generation: z.literal('G2'), nonce })
  .transform((body) => ({
    ...body,
    interactions: [],
    fileName: null,
    nested: {
      interactionsAsSent: '',
      // Of the signature that follows, which says its own.
      signatureAlgorithm: 'rsassa-pss' as const,
      linkedSessionId: null,
    },
    content: { kind: 'CERTIFICATE_CHOICE' as const },
  }));
