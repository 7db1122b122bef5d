import { z } from 'zod';
import {
  verificationFailures,
  verificationMethods,
} from '../../domain/identityVerification/events.ts';
import { hashTypes } from '../../domain/shared/digest.ts';
import { moment } from '../http/answers.ts';

// What is sent and answered below /v3/kyc. Sizes are generous upper bounds of what can be right.

export const nothing = z.object({});

export const startBody = z.object({ method: z.enum(verificationMethods) });

export const verificationPath = z.object({ verificationId: z.uuid().toLowerCase() });

export const citizenCardBody = z.object({
  identifier: z.string().min(1).max(64),
  cardNumber: z.string().min(1).max(32),
  birthDate: z.iso.date(),
});

/** A file of a chip. @param bytes longest */
const chipFile = (bytes: number) =>
  z
    .base64()
    .max(Math.ceil(bytes / 3) * 4)
    .transform((text) => Buffer.from(text, 'base64'));

/** Larger than any face in a passport's chip, bytes. */
const LONGEST_DATA_GROUP = 131_072;

/** Longest request with the files of a chip, bytes. */
export const PASSPORT_BODY_BYTES = 524_288;

export const passportBody = z.object({
  mrz: z
    .string()
    .max(100)
    .nullish()
    .transform((text) => text ?? null)
    .meta({ description: 'The machine-readable zone as printed, lines apart by line breaks' }),
  securityObject: chipFile(32_768).meta({ description: 'Base64 of EF.SOD' }),
  dataGroups: z
    .object({
      dg1: chipFile(1024),
      dg2: chipFile(LONGEST_DATA_GROUP).optional(),
      dg11: chipFile(LONGEST_DATA_GROUP).optional(),
    })
    .meta({ description: 'Base64 of EF.DG1, and of EF.DG2 and EF.DG11 where they were read' })
    .transform(
      ({ dg1, dg2, dg11 }): ReadonlyMap<number, Buffer> =>
        new Map(
          (
            [
              [1, dg1],
              [2, dg2],
              [11, dg11],
            ] as const
          ).flatMap(([number, file]) => (file === undefined ? [] : [[number, file] as const])),
        ),
    ),
});

/** The ways to verify an identity. */
export const methodsAnswer = z.object({
  methods: z.array(
    z.object({ method: z.string(), available: z.boolean(), reason: z.string().optional() }),
  ),
});

/** To a verified identity. */
export const verifiedAnswer = z.object({
  enrolmentToken: z.string().meta({ description: 'Good once, until expiresAt' }),
  expiresAt: moment,
  etsi: z.string(),
});

const nextStep = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('CARD') }),
    z.object({
      type: z.literal('REDIRECT'),
      url: z.url().meta({ description: 'To be opened in the browser of the person' }),
    }),
    z.object({
      type: z.literal('SIGNATURE'),
      challenge: z.string().meta({ description: 'Base64 of exactly the bytes to be signed' }),
      hashTypes: z.array(z.enum(hashTypes)),
    }),
    z.object({ type: z.literal('PASSPORT') }),
  ])
  .meta({ id: 'IdentityVerificationStep' });

/** An identity verification as whoever started it sees it. */
export const verificationAnswer = z
  .object({
    verificationId: z.uuid(),
    method: z.enum(verificationMethods),
    status: z.enum(['PENDING', 'VERIFIED', 'EXHAUSTED', 'EXPIRED', 'CANCELLED']),
    expiresAt: moment,
    attemptsLeft: z.int().min(0),
    failure: z
      .enum(verificationFailures)
      .nullable()
      .meta({ description: 'Why the last attempt failed' }),
    step: nextStep.nullable().meta({ description: 'What to do next; null: nothing' }),
    verified: verifiedAnswer
      .nullable()
      .meta({ description: 'Null unless VERIFIED, and once the token has expired' }),
  })
  .meta({ id: 'IdentityVerification' });

/** To a start: the secret is shown here and nowhere else. */
export const startedAnswer = z.object({
  verification: verificationAnswer,
  secret: z.string().meta({ description: 'Authorization: Bearer <secret> of all further calls' }),
});
