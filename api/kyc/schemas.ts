import { z } from 'zod';
import type {
  AuthorizationResponse,
  SignedChallenge,
} from '../../application/identityVerification/ports/identityProvider.ts';
import {
  verificationFailures,
  verificationMethods,
} from '../../domain/identityVerification/events.ts';
import { verificationStatuses } from '../../domain/identityVerification/identityVerification.ts';
import { hashTypes } from '../../domain/shared/digest.ts';
import { moment } from '../schemas/answers.ts';

// Schemas of requests and responses below /v3/kyc. Size limits are generous upper bounds of valid
// values.

export const startBody = z.object({ method: z.enum(verificationMethods) });

export const verificationPath = z.object({ verificationId: z.uuid().toLowerCase() });

export const citizenCardBody = z.object({
  identifier: z.string().min(1).max(64),
  cardNumber: z.string().min(1).max(32),
  birthDate: z.iso.date(),
});

/** Base64 of at most this many bytes. */
const upTo = (bytes: number) =>
  z
    .base64()
    .min(1)
    .max(Math.ceil(bytes / 3) * 4)
    .transform((text) => Buffer.from(text, 'base64'));

/** Size limit above any face image in a passport's chip, bytes. */
const LONGEST_DATA_GROUP = 131_072;

/** Size limit above any public key and the other capabilities of a chip, bytes. */
const LONGEST_KEY_GROUP = 4096;

/** Size limit of a request with the files of a chip, bytes. */
export const PASSPORT_BODY_BYTES = 524_288;

export const passportBody = z.object({
  mrz: z
    .string()
    .max(100)
    .nullish()
    .transform((text) => text ?? null)
    .meta({
      description: 'The machine-readable zone as printed, with line breaks between its lines',
    }),
  securityObject: upTo(32_768).meta({ description: 'Base64 of EF.SOD' }),
  dataGroups: z
    .object({
      dg1: upTo(1024),
      dg2: upTo(LONGEST_DATA_GROUP).optional(),
      dg11: upTo(LONGEST_DATA_GROUP).optional(),
      dg14: upTo(LONGEST_KEY_GROUP).optional(),
      dg15: upTo(LONGEST_KEY_GROUP).optional(),
    })
    .meta({ description: 'Base64 of EF.DG1, and of the other data groups that were read' })
    .transform(
      ({ dg1, dg2, dg11, dg14, dg15 }): ReadonlyMap<number, Buffer> =>
        new Map(
          (
            [
              [1, dg1],
              [2, dg2],
              [11, dg11],
              [14, dg14],
              [15, dg15],
            ] as const
          ).flatMap(([number, file]) => (file === undefined ? [] : [[number, file] as const])),
        ),
    ),
  chipSignature: upTo(1024)
    .nullish()
    .transform((bytes) => bytes ?? null)
    .meta({
      description:
        "Base64 of the chip's answer to the challenge of the step (INTERNAL AUTHENTICATE); send dg15 with it, and dg14 for an elliptic curve key",
    }),
});
/** Response of an authorization server (RFC 6749 §4.1.2). */
const authorizationResponse = {
  state: z.string().min(1).max(200),
  code: z.string().min(1).max(4096).optional(),
  error: z.string().min(1).max(200).optional(),
};

const onlyOne = {
  path: ['code'],
  message: 'Send code or error as they came back, one of them.',
};

export const danCallbackQuery = z.object(authorizationResponse);

export const danBody = z
  .object(authorizationResponse)
  .refine(({ code, error }) => (code === undefined) !== (error === undefined), onlyOne)
  .transform(({ state, code, error = '' }): AuthorizationResponse =>
    code === undefined ? { state, error } : { state, code },
  );

/** Size limit of a certificate, and of a CMS SignedData with a certification path, bytes. */
const MAX_CERTIFICATE = 8192;
const MAX_CMS = 65_536;

/** Size limit of a body, bytes. */
export const gsignBodyBytes = 131_072;

export const gsignBody = z
  .object({
    cms: upTo(MAX_CMS).optional().meta({ description: 'CMS SignedData in DER, detached or not' }),
    signature: upTo(1024)
      .optional()
      .meta({ description: 'Instead of cms: an ECDSA signature in DER, or an RSA signature' }),
    certificate: upTo(MAX_CERTIFICATE).optional(),
    chain: z.array(upTo(MAX_CERTIFICATE)).max(8).default([]),
    hashType: z.enum(hashTypes).default('SHA256'),
  })
  .transform(({ cms, signature, certificate, chain, hashType }, context): SignedChallenge => {
    if (cms !== undefined) return { cms };
    if (signature !== undefined && certificate !== undefined) {
      return { signature, certificate, chain, hashType };
    }
    const message = 'Send cms, or signature and certificate.';
    context.addIssue({ code: 'custom', path: ['cms'], message });
    return z.NEVER;
  });

/** Methods of identity proofing. */
export const methodsAnswer = z.object({
  methods: z.array(
    z.object({ method: z.string(), available: z.boolean(), reason: z.string().optional() }),
  ),
});

/** Response to a verified identity. */
export const verifiedAnswer = z.object({
  enrolmentToken: z.string().meta({ description: 'Valid once, until expiresAt' }),
  expiresAt: moment,
  etsi: z.string(),
});

const nextStep = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('CARD') }),
    z.object({
      type: z.literal('REDIRECT'),
      url: z.url().meta({ description: "Open it in the person's browser" }),
    }),
    z.object({
      type: z.literal('SIGNATURE'),
      challenge: z.string().meta({ description: 'Base64 of exactly the bytes to sign' }),
      hashTypes: z.array(z.enum(hashTypes)),
    }),
    z.object({
      type: z.literal('PASSPORT'),
      challenge: z.string().meta({
        description: 'Base64 of the 8 bytes that the chip has to sign (INTERNAL AUTHENTICATE)',
      }),
    }),
  ])
  .meta({ id: 'IdentityVerificationStep' });

/** An identity verification as seen by the applicant. */
export const verificationAnswer = z
  .object({
    verificationId: z.uuid(),
    method: z.enum(verificationMethods),
    status: z.enum(verificationStatuses),
    expiresAt: moment,
    attemptsLeft: z.int().min(0),
    failure: z
      .enum(verificationFailures)
      .nullable()
      .meta({ description: 'Why the last attempt failed' }),
    step: nextStep
      .nullable()
      .meta({ description: 'What to do next; null if there is nothing to do' }),
    verified: verifiedAnswer
      .nullable()
      .meta({ description: 'Null unless VERIFIED, and after the token has expired' }),
  })
  .meta({ id: 'IdentityVerification' });

/** Response to a start: the secret is sent here only. */
export const startedAnswer = z.object({
  verification: verificationAnswer,
  secret: z
    .string()
    .meta({ description: 'Send it with all further calls as Authorization: Bearer <secret>' }),
});
