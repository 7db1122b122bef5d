import { z } from 'zod';
import { sessionSteps } from '../../../application/session/sessionSteps.ts';
import { endResults, flowTypes, interactionTypes } from '../../../domain/session/events.ts';
import { hashTypes } from '../../../domain/shared/digest.ts';
import { certificateAnswer } from '../../schemas/answers.ts';
import { toldSignals } from '../../schemas/riskSignals.ts';

// Response schemas of sessions, in both generations (specification, Session; contract §2, §3).

const sessionID = z.uuid();

/** Response to a session-creating POST by push. */
export const notificationAnswer = z
  .object({
    sessionID,
    vc: z
      .object({ type: z.string(), value: z.string() })
      .optional()
      .meta({ description: 'The code to show; absent for a certificate choice' }),
  })
  .meta({ id: 'NotificationSession' });

/** Response to a session-creating POST by device link. */
export const deviceLinkAnswer = z
  .object({
    sessionID,
    sessionToken: z.string(),
    sessionSecret: z.string().meta({ description: 'Base64; keep it on the server' }),
    deviceLinkBase: z.url(),
    vc: z
      .string()
      .optional()
      .meta({ description: 'The code to show; absent for a certificate choice' }),
  })
  .meta({ id: 'DeviceLinkSession' });

/** Response to a certificate query. */
export const certificateQueryAnswer = z
  .discriminatedUnion('state', [
    z
      .object({ state: z.literal('OK'), cert: certificateAnswer })
      .meta({ id: 'SigningCertificate' }),
    z.object({ state: z.literal('DOCUMENT_UNUSABLE') }).meta({ id: 'UnusableDocument' }),
  ])
  .meta({ id: 'CertificateQueryResult' });

const pssParameters = z
  .object({
    hashAlgorithm: z.string(),
    maskGenAlgorithm: z
      .object({
        algorithm: z.literal('id-mgf1'),
        parameters: z.object({ hashAlgorithm: z.string() }).meta({ id: 'MaskParameters' }),
      })
      .meta({ id: 'MaskGeneration' }),
    saltLength: z.int(),
    trailerField: z.literal('0xbc'),
  })
  .meta({ id: 'PssParameters' });

const signature = z
  .object({
    value: z.string().meta({ description: 'Base64; ECDSA values are DER sequences' }),
    serverRandom: z.string().optional(),
    userChallenge: z.string().optional(),
    flowType: z.enum(flowTypes).optional(),
    signatureAlgorithm: z.string(),
    signatureAlgorithmParameters: pssParameters.optional(),
  })
  .meta({ id: 'SessionSignature' });

const documentSignature = z
  .object({
    digest: z.string().meta({ description: 'As in the request' }),
    hashType: z.enum(hashTypes),
    fileName: z.string().optional(),
    value: z.string().meta({ description: 'Base64; ECDSA values are DER sequences' }),
    signatureAlgorithm: z.string(),
  })
  .meta({ id: 'BatchDocumentSignature' });

/**
 * Older name of a field, written until the next major version (specification, Versioning 5 and 6).
 */
function olderName(of: string): z.ZodString {
  return z.string().meta({ deprecated: true, description: `Former name of ${of}` });
}

const person = z
  .object({
    firstName: z.string(),
    lastName: z.string(),
    familyName: z.string(),
    firstNameEn: z.string(),
    lastNameEn: z.string(),
    givenName: olderName('firstName'),
    surname: olderName('lastName'),
    givenNameEn: olderName('firstNameEn'),
    surnameEn: olderName('lastNameEn'),
    civilId: z.string(),
    regNo: z.string(),
    birthDate: z.string().meta({ examples: ['1990-01-01'] }),
    gender: z.string().meta({ examples: ['F'] }),
    geID: z.int().optional(),
  })
  .meta({ id: 'Person' });

const onBehalfOf = z
  .object({
    orgEtsi: z.string(),
    orgName: z.string(),
    role: z.string().nullable(),
    rightType: z.enum(['ADMIN', 'MANAGER']).nullable(),
  })
  .nullable();

const runningSession = z
  .object({
    state: z.literal('RUNNING'),
    progress: z.enum(sessionSteps).optional().meta({
      description:
        'The latest known progress of the request on a phone: received (DELIVERED), opened (OPENED), PIN field shown (PIN_ENTRY); absent if nothing is known. A hint for the page that waits, not a guarantee',
    }),
  })
  .meta({ id: 'RunningSession' });

const completeSession = z
  .object({
    state: z.literal('COMPLETE'),
    result: z
      .object({
        endResult: z.enum(endResults),
        documentNumber: z.uuid().optional(),
        details: z
          .object({ interaction: z.string() })
          .meta({ id: 'RefusedInteraction' })
          .optional(),
      })
      .meta({ id: 'SessionResult' }),
    signatureProtocol: z.enum(['ACSP_V2', 'RAW_DIGEST_SIGNATURE']).optional(),
    signature: signature.optional(),
    signatures: z.array(documentSignature).optional().meta({
      description: 'For a batch, instead of signature: one for each document, in the same order',
    }),
    cert: certificateAnswer.optional(),
    interactionTypeUsed: z.enum(interactionTypes).optional(),
    onBehalfOf,
    riskSignals: toldSignals.nullable().optional().meta({
      description:
        'The requested signals as the phone reports them, null for those it does not know; null if the citizen shared none; absent if none were requested or the request was refused',
    }),
    person: person.optional(),
  })
  .meta({ id: 'CompleteSession' });

/** Response to a poll. */
export const sessionAnswer = z
  .discriminatedUnion('state', [runningSession, completeSession])
  .meta({ id: 'Session' });
