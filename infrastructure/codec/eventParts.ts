import { z } from 'zod';

// Parts of events that several of them are made of, or that stand for themselves.

export const text = z.string();
export const optionalText = z.string().nullable();

export const interaction = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('displayTextAndPIN'), displayText60: text }),
  z.strictObject({
    type: z.enum(['confirmationMessage', 'confirmationMessageAndVerificationCodeChoice']),
    displayText200: text,
  }),
]);

export const deviceLink = z.strictObject({ sessionToken: text, sessionSecret: text });

export const certificateHolder = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('citizen'), civilId: text, documentNumber: text }),
  z.strictObject({ kind: z.literal('organization'), register: text }),
  z.strictObject({
    kind: z.literal('service'),
    purpose: z.enum(['OCSP_PERSONAL', 'OCSP_ORGANIZATION', 'TSA', 'DOCUMENT_SIGNER']),
  }),
]);

/** What a civil register says of a person. */
export const identity = z.strictObject({
  givenName: text,
  surname: text,
  familyName: text,
  givenNameLatin: text,
  surnameLatin: text,
  registrationNumber: text,
  birthDate: text,
  gender: z.enum(['M', 'F', 'X']),
  geId: z.number().nullable(),
});
