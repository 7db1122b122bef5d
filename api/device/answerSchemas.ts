import { z } from 'zod';
import { devicePins, devicePlatforms } from '../../domain/device/events.ts';
import { noticeKinds, organizationChanges, rightChanges } from '../../domain/notice/events.ts';
import {
  deviceLinkTypes,
  endResults,
  interactionTypes,
  requestableAlgorithms,
  sessionKinds,
} from '../../domain/session/events.ts';
import { riskSignals } from '../../domain/session/riskSignals.ts';
import { hashAlgorithms, verificationCodeTypes } from '../../domain/shared/digest.ts';
import { documentWarnings } from '../../domain/shared/documentWarnings.ts';
import { certificateLevel, moment } from '../schemas/answers.ts';

// Response schemas of the device API.

/** State of the calling device. */
export const deviceAnswer = z
  .object({
    documentNumber: z.uuid(),
    etsi: z.string(),
    active: z.boolean(),
    platform: z.enum(devicePlatforms),
    lockedPins: z.array(z.enum(devicePins)).meta({
      description:
        'PINs that were entered wrongly too often, as the phone reported; their keys are lost for good',
    }),
    certificates: z.array(
      z.object({
        type: z.string(),
        serialNumber: z.string(),
        certificateLevel,
        status: z.string(),
        notBefore: moment,
        notAfter: moment,
        value: z
          .string()
          .nullable()
          .meta({ description: 'DER, base64; null if the person was forgotten' }),
      }),
    ),
  })
  .meta({ id: 'Device' });

const namedSessions = z.array(z.object({ sessionId: z.uuid() }));

export const inboxAnswer = z.object({
  sessions: namedSessions,
  ended: namedSessions.meta({
    description:
      'Sessions the phone has seen that are no longer running; open one again to be sure',
  }),
});

export const phonesAnswer = z.object({
  phones: z.array(
    z.object({
      documentNumber: z.uuid(),
      platform: z.enum(devicePlatforms),
      enrolledAt: moment.nullable().meta({ description: 'Null if it is not known here yet' }),
      isThis: z.boolean().meta({ description: 'True for the calling phone' }),
    }),
  ),
});

export const noticesAnswer = z
  .object({
    notices: z.array(
      z.object({
        noticeId: z.uuid(),
        kind: z.enum(noticeKinds),
        givenAt: moment,
        device: z
          .object({
            documentNumber: z.uuid(),
            platform: z.enum(devicePlatforms),
            enrolledAt: moment,
            mayEnd: z.boolean().meta({
              description:
                'True if "It was not me" on this phone ends the other one: the enrolment with the better proof prevails, or the older of two equals',
            }),
          })
          .nullable()
          .meta({
            description:
              'The other phone: older phones see a new one, and a new phone sees each older one',
          }),
        right: z
          .object({
            orgEtsi: z.string(),
            orgName: z.string(),
            change: z.enum(rightChanges),
            personEtsi: z.string(),
            personName: z.string().nullable(),
          })
          .nullable()
          .meta({ description: 'The right to represent an organization that changed' }),
        organization: z
          .object({
            orgEtsi: z.string(),
            orgName: z.string(),
            orgNameEn: z.string().nullable(),
            change: z.enum(organizationChanges),
          })
          .nullable()
          .meta({ description: 'The organization that changed, with its names now' }),
      }),
    ),
  })
  .meta({ id: 'Notices' });

export const disownedAnswer = z.object({ documentNumber: z.uuid(), blockedUntil: moment });

const warnings = z.array(z.enum(documentWarnings)).meta({
  description: 'What the PDF prepared for this signature can do besides showing its pages',
});

const batchDocument = z
  .object({
    digest: z.string(),
    hashType: z.enum(hashAlgorithms),
    displayText60: z.string(),
    fileName: z.string().nullable(),
    documentWarnings: warnings,
  })
  .meta({ id: 'DeviceBatchDocument' });

/** Session details shown and signed by the phone. */
export const sessionDetailsAnswer = z
  .object({
    sessionId: z.uuid(),
    kind: z.enum(sessionKinds),
    flow: z.enum(['NOTIFICATION', 'DEVICE_LINK']),
    signatureProtocol: z.string().nullable(),
    relyingPartyName: z.string(),
    registeredName: z.string().nullable().meta({
      description:
        'Registered name, to show before relyingPartyName if that is not one of its own names; null to show only relyingPartyName',
    }),
    subsystem: z.string().nullable(),
    interactions: z.array(
      z.object({
        type: z.enum(interactionTypes),
        displayText60: z.string().optional(),
        displayText200: z.string().optional(),
      }),
    ),
    rpChallenge: z.string().nullable(),
    digest: z.string().nullable(),
    hashType: z.enum(hashAlgorithms).nullable(),
    vcType: z.enum(verificationCodeTypes),
    fileName: z.string().nullable(),
    documentWarnings: warnings,
    documents: z.array(batchDocument).optional().meta({
      description: 'For a batch: all are shown and each is signed; digest and hashType are null',
    }),
    certificateLevel,
    onBehalfOf: z
      .object({
        orgEtsi: z.string(),
        orgName: z.string(),
        rightType: z.enum(['ADMIN', 'MANAGER']),
        role: z.string().nullable(),
      })
      .nullable(),
    riskSignals: z
      .object({ names: z.array(z.enum(riskSignals)), required: z.boolean() })
      .meta({ id: 'AskedRiskSignals' })
      .nullable()
      .meta({
        description:
          'Signals of the phone that the relying party requests: the phone shows them, and sends them only if the citizen agrees; if required, confirming means agreeing',
      }),
    callbackUrl: z.string().nullable(),
    deviceLinkType: z.enum(deviceLinkTypes).nullable(),
    sessionSecretDigest: z.string().nullable(),
    documentNumber: z.uuid().nullable().meta({
      description: 'The phone that was asked; null if any phone of the citizen may answer',
    }),
    nested: z
      .object({
        signatureAlgorithm: z.enum(requestableAlgorithms),
        scheme: z.string(),
        serverRandom: z.string().nullable(),
        initialCallbackUrl: z.string().nullable(),
        linkedSessionId: z.string().nullable(),
        interactionsAsSent: z.string().nullable(),
      })
      .nullable(),
    answerBefore: moment,
  })
  .meta({ id: 'DeviceSession' });

/** Response to a confirmed, chosen or refused session. */
export const endedAnswer = z
  .object({
    sessionId: z.uuid(),
    state: z.literal('COMPLETE'),
    endResult: z.enum(endResults),
  })
  .meta({ id: 'EndedSession' });

export const lockedPinsAnswer = z.object({
  documentNumber: z.uuid(),
  lockedPins: z.array(z.enum(devicePins)),
});

export const deactivatedAnswer = z.object({
  documentNumber: z.uuid(),
  active: z.literal(false),
});
