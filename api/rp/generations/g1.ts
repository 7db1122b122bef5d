import { z } from 'zod';
import type { PollResult } from '../../../application/session/pollSession.ts';
import { forgottenIdentity, type Identity } from '../../../domain/citizen/events.ts';
import type { SessionStarted } from '../../../domain/session/events.ts';
import { certificateLevels } from '../../../domain/shared/certificateLevel.ts';
import { digestLength, hashTypes } from '../../../domain/shared/digest.ts';
import { FORGOTTEN } from '../../../domain/shared/personalData.ts';

// The first generation of the wire protocol (contract §1 G1): what comes in, what goes out.

const text = (maximum: number) =>
  z
    .string()
    .refine(
      (value) => value.length <= maximum || Array.from(value).length <= maximum,
      `At most ${maximum} characters.`,
    );

const nonEmptyText = (maximum: number) => text(maximum).min(1, 'Must not be empty.');

/** Absent and null are the same. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null);

const base64 = z.base64({ error: 'Must be standard base64 with padding.', abort: true });

const byteLength = (value: string) => Buffer.byteLength(value, 'base64');

const interaction = z.object({
  type: z.literal('displayTextAndPIN', 'The type must be displayTextAndPIN.'),
  displayText60: nonEmptyText(60),
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PATH_OR_CONTROL = /[/\\\p{Cc}]/u;

const common = {
  relyingPartyUUID: z
    .string()
    .regex(UUID, 'Must be a UUID.')
    .transform((value) => value.toLowerCase()),
  relyingPartyName: nonEmptyText(120),
  certificateLevel: z
    .enum(certificateLevels)
    .nullish()
    .transform((level) => level ?? 'QUALIFIED'),
  signatureProtocol: z.literal('ACSP_V2', 'The signatureProtocol must be ACSP_V2.'),
  interactions: z
    .array(interaction)
    .min(1, 'Exactly one interaction is needed.')
    .max(1, 'Exactly one interaction is needed.'),
  /** Whatever is wrong with it, it is dropped, never refused. */
  initialCallbackUrl: z
    .unknown()
    .optional()
    .transform((value) => (typeof value === 'string' ? value : null)),
  rp_app: optional(text(120)).transform((value) => value?.trim() || null),
  onBehalfOf: optional(text(120)).transform((value) => value?.trim().toUpperCase() || null),
};

/** Body of the four authentication POSTs. */
export const authenticationBody = z
  .object({
    ...common,
    rpChallenge: base64.refine(
      (value) => byteLength(value) >= 32 && byteLength(value) <= 64,
      'Must be base64 of 32 to 64 bytes.',
    ),
  })
  .transform(({ rpChallenge, ...body }) => ({
    ...body,
    fileName: null,
    content: { kind: 'AUTHENTICATION' as const, rpChallenge },
  }));

/** Body of the three signature POSTs. */
export const signatureBody = z
  .object({
    ...common,
    digest: base64,
    hashType: z
      .enum(hashTypes)
      .nullish()
      .transform((type) => type ?? 'SHA256'),
    fileName: optional(
      text(120).refine(
        (name) => !PATH_OR_CONTROL.test(name),
        'Must be a file name without a path or control characters.',
      ),
    ),
  })
  .refine(({ digest, hashType }) => byteLength(digest) === digestLength[hashType], {
    path: ['digest'],
    message: 'The length of the digest is not that of hashType (SHA256 when absent).',
  })
  .transform(({ digest, hashType, ...body }) => ({
    ...body,
    content: { kind: 'SIGNATURE' as const, digest, hashType },
  }));

export type StartBody = z.output<typeof authenticationBody> | z.output<typeof signatureBody>;

/** The answer to a session-creating POST (specification, Session creation responses). */
export function startedAnswer(started: SessionStarted['data'], deviceLinkBase: string): object {
  const { sessionId, deviceLink, verificationCode } = started;
  if (deviceLink === null) {
    return { sessionID: sessionId, vc: { type: 'alphaNumeric4', value: verificationCode } };
  }
  return {
    sessionID: sessionId,
    sessionToken: deviceLink.sessionToken,
    sessionSecret: deviceLink.sessionSecret,
    deviceLinkBase,
    vc: verificationCode,
  };
}

/** The polled session (contract §3). */
export function polledAnswer(result: PollResult): object {
  if (result.state === 'RUNNING') return { state: 'RUNNING' };
  const { started, outcome } = result.session;
  const { confirmation, endResult, documentNumber, refusedInteraction } = outcome;
  if (confirmation === null) {
    return {
      state: 'COMPLETE',
      result: {
        endResult,
        ...(documentNumber === null ? {} : { documentNumber }),
        ...(refusedInteraction === null ? {} : { details: { interaction: refusedInteraction } }),
      },
      onBehalfOf: null,
    };
  }
  return {
    state: 'COMPLETE',
    result: { endResult, documentNumber },
    signature: {
      value: confirmation.signature,
      signatureAlgorithm: confirmation.signatureAlgorithm,
    },
    cert: {
      value: result.certificate?.certificate ?? FORGOTTEN,
      certificateLevel: confirmation.certificateLevel,
    },
    interactionTypeUsed: confirmation.interactionTypeUsed,
    onBehalfOf: null,
    ...(started.kind === 'AUTHENTICATION'
      ? { person: person(confirmation.civilId, result.citizen?.identity ?? forgottenIdentity) }
      : {}),
  };
}

/** Both sets of names: clients of either age read one of them. */
function person(civilId: string, identity: Identity): object {
  const { givenName, surname, givenNameLatin, surnameLatin, geId } = identity;
  return {
    firstName: givenName,
    lastName: surname,
    familyName: identity.familyName,
    firstNameEn: givenNameLatin,
    lastNameEn: surnameLatin,
    givenName,
    surname,
    givenNameEn: givenNameLatin,
    surnameEn: surnameLatin,
    civilId,
    regNo: identity.registrationNumber,
    birthDate: identity.birthDate,
    gender: identity.gender,
    ...(geId === null ? {} : { geID: geId }),
  };
}
