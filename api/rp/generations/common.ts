import { z } from 'zod';
import { beyondBound } from '../../../domain/shared/bounds.ts';
import { certificateLevels } from '../../../domain/shared/certificateLevel.ts';
import { type RiskSignal, riskSignals } from '../../../domain/session/riskSignals.ts';
import { verificationCodeTypes } from '../../../domain/shared/digest.ts';
import { displayed } from '../../../domain/shared/requestFields.ts';
import { textBounds } from '../../schemas/text.ts';

// Schemas shared by session-creating bodies of both generations (contract §2).

/** Text limited in code points, as citizens count characters. */
const text = (maximum: number) =>
  z
    .string()
    .refine((value) => value.length <= maximum || Array.from(value).length <= maximum, {
      error: ({ input }) =>
        beyondBound({ atMost: maximum }, Array.from(String(input)).length, 'characters'),
    })
    .register(textBounds, { maxLength: maximum });

export const nonEmptyText = (maximum: number) => text(maximum).min(1, 'Must not be empty.');

/** Text of an interaction; it may have lines. */
export const shownText = (maximum: number) => nonEmptyText(maximum).check(displayed('lines'));

/** Generation of a body: detected, never sent by callers. */
export const detected = <Name extends string>(name: Name) =>
  z.literal(name).meta({ internal: true });

/** Optional field; null equals absent. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null);

export const base64 = z.base64({ error: 'Must be standard base64 with padding.', abort: true });

export const byteLength = (value: string) => Buffer.byteLength(value, 'base64');

export const rpChallenge = base64.refine(
  (value) => byteLength(value) >= 32 && byteLength(value) <= 64,
  {
    error: ({ input }) =>
      `Must be base64 of 32 to 64 bytes; this has ${byteLength(String(input))}.`,
  },
);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const fileName = optional(
  text(120)
    .refine((name) => !/[/\\]/.test(name), 'Must be a file name without a path.')
    .check(displayed('one line')),
);

/** Name within a text on the phone: of a subsystem, of a role; blank equals absent. */
export const shownName = (maximum: number) =>
  optional(text(maximum))
    .transform((value) => value?.trim() || null)
    .check(displayed('one line'));

export const commonFields = {
  relyingPartyUUID: z
    .string()
    .regex(UUID, 'Must be a UUID.')
    .transform((value) => value.toLowerCase()),
  /** Compared with the names of the relying party once that is known. */
  relyingPartyName: nonEmptyText(120),
  certificateLevel: z
    .enum(certificateLevels)
    .nullish()
    .transform((level) => level ?? 'QUALIFIED'),
  /** An invalid callback URL is dropped, never refused. */
  initialCallbackUrl: z
    .unknown()
    .optional()
    .transform((value) => (typeof value === 'string' ? value : null)),
  /** Format of the code shown with a push; `numeric4` is Smart-ID's name for four digits. */
  vcType: optional(z.enum([...verificationCodeTypes, 'numeric4'])),
  rp_app: shownName(120),
  onBehalfOf: optional(text(120)).transform((value) => value?.trim().toUpperCase() || null),
  /** Refused where one digest or none would be signed: the others would be left out in silence. */
  documents: z.null('Only a flat signature can have several documents.').optional(),
};

/** Fields of requests that the citizen confirms with a PIN. */
export const confirmedFields = {
  riskSignals: z
    .union([z.boolean(), z.array(z.enum(riskSignals)).min(1).max(riskSignals.length)], {
      error: ({ input }) =>
        Array.isArray(input) && input.length > riskSignals.length
          ? beyondBound({ atMost: riskSignals.length }, input.length, 'names')
          : 'Must be true, false or a list of names.',
    })
    .nullish()
    .transform((asked) => namesOf(asked ?? false))
    .meta({
      description:
        "Signals of the phone to request, with the citizen's consent: true for all, or their names; needs the permission RISK_SIGNALS",
    }),
  riskSignalsRequired: z
    .boolean()
    .nullish()
    .transform((required) => required ?? false)
    .meta({
      description: 'True if the citizen cannot confirm without sharing them; default false',
    }),
};

function namesOf(asked: boolean | readonly RiskSignal[]): readonly RiskSignal[] | null {
  if (asked === false) return null;
  return asked === true ? riskSignals : [...new Set(asked)];
}
