import { z } from 'zod';
import { digestLength, hashTypes } from '../../../domain/shared/digest.ts';
import {
  base64,
  byteLength,
  commonFields,
  detected,
  fileName,
  rpChallenge,
  shownText,
} from './common.ts';

// First generation of the wire protocol, flat (contract §1 G1).

const interaction = z.object({
  type: z.literal('displayTextAndPIN', 'The type must be displayTextAndPIN.'),
  displayText60: shownText(60),
});

const flat = {
  ...commonFields,
  generation: detected('G1'),
  signatureProtocol: z.literal('ACSP_V2', 'The signatureProtocol must be ACSP_V2.'),
  interactions: z
    .array(interaction)
    .min(1, 'Exactly one interaction is needed; this has 0.')
    .max(1, {
      error: ({ input }) =>
        `Exactly one interaction is needed; this has ${(input as readonly unknown[]).length}.`,
    }),
};

/** Body of a flat authentication. */
export const flatAuthentication = z
  .object({ ...flat, rpChallenge })
  .transform(({ rpChallenge: challenge, ...body }) => ({
    fileName: null,
    nested: null,
    content: { kind: 'AUTHENTICATION' as const, rpChallenge: challenge, hashType: null },
    ...body,
  }));

/** Body of a flat signature. */
export const flatSignature = z
  .object({
    ...flat,
    fileName,
    digest: base64,
    hashType: z
      .enum(hashTypes)
      .nullish()
      .transform((type) => type ?? 'SHA256'),
  })
  .refine(({ digest, hashType }) => byteLength(digest) === digestLength[hashType], {
    path: ['digest'],
    message: 'The length of the digest is not that of hashType (SHA256 when absent).',
  })
  .transform(({ digest, hashType, ...body }) => ({
    nested: null,
    content: { kind: 'SIGNATURE' as const, digest, hashType },
    ...body,
  }));
