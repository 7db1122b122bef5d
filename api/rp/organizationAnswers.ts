import { z } from 'zod';
import type { SessionStarted } from '../../domain/session/events.ts';
import { moment } from '../schemas/answers.ts';

// Response schemas of organizations (contract §8).

const rightType = z.enum(['ADMIN', 'MANAGER']);
const source = z.enum(['REGISTRY', 'MANUAL']);

const pendingConfirmation = z.object({
  orgRegister: z.string(),
  orgName: z.string(),
  signerEtsi: z.string(),
  signerRegNo: z.string(),
  sessionId: z.uuid(),
});

/** Organizations a person may represent. */
export const representationsAnswer = z
  .object({
    personEtsi: z.string(),
    representations: z.array(
      z.object({
        orgEtsi: z.string(),
        orgRegister: z.string(),
        orgName: z.string(),
        orgNameEn: z.string().optional(),
        role: z.string().optional(),
        rightType,
        source,
        validFrom: moment,
        validTo: moment.nullable(),
      }),
    ),
    pendingConfirmation: pendingConfirmation
      .meta({
        description: 'Only for a link that waits for an ADMIN, who is asked in this session',
      })
      .optional(),
  })
  .meta({ id: 'Representations' });

/** Signers of an organization. */
export const signersAnswer = z
  .object({
    orgRegister: z.string(),
    signers: z.array(
      z.object({
        personEtsi: z.string(),
        regNo: z.string().meta({ description: 'In lower case' }),
        name: z.string(),
        nameEn: z.string(),
        role: z.string().nullable(),
        rightType,
        status: z.enum(['ACTIVE', 'PENDING']),
        source,
        self: z.boolean(),
      }),
    ),
    pendingConfirmation: pendingConfirmation
      .extend({
        adminSessionId: z.uuid().meta({ description: 'Session in which the ADMIN confirms' }),
      })
      .optional(),
  })
  .meta({ id: 'Signers' });

/** Session in which an ADMIN is asked to confirm a change, in answers 202. */
export const confirmationFields = {
  sessionId: z.uuid(),
  verificationCode: z.string(),
  answerBefore: moment,
};

/** The fields of {@link confirmationFields}. */
export function confirmationBody(asked: SessionStarted['data']): object {
  const { sessionId, verificationCode, answerBefore } = asked;
  return { sessionId, verificationCode, answerBefore };
}

/** Organizations of the acting person as they still are, and the session of the ADMIN. */
export const confirmedRepresentationsAnswer = representationsAnswer
  .extend(confirmationFields)
  .meta({ id: 'RepresentationsConfirmation' });
