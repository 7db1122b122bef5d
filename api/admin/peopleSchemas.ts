import { z } from 'zod';
import { certificateViewStatuses } from '../../projections/peopleViews.ts';
import { devicePins, devicePlatforms } from '../../domain/device/events.ts';
import { certificateLevels } from '../../domain/shared/certificateLevel.ts';
import { issuingAuthorities } from '../../domain/shared/issuingCas.ts';

// Response schemas of citizens, devices, certificates and sessions. Closed: fields not named here
// are not sent.

const time = z.iso.datetime();
const optionalText = z.string().nullable();

export const citizenSchema = z.strictObject({
  etsi: z.string(),
  civilId: z.string(),
  regNo: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  familyName: z.string(),
  firstNameEn: z.string(),
  lastNameEn: z.string(),
  birthDate: z.string(),
  gender: z.enum(['M', 'F', 'X']),
  geID: z.number().int().nullable(),
  enrolledAt: time,
  forgotten: z.boolean(),
});

const owner = { etsi: z.string(), name: z.string() };

export const deviceSchema = z.strictObject({
  documentNumber: z.string(),
  owner: z.strictObject(owner),
  platform: z.enum(devicePlatforms),
  active: z.boolean(),
  reachedByPush: z.boolean(),
  authenticationSerial: z.string(),
  signingSerial: z.string(),
  enrolledAt: time,
  deactivatedAt: time.nullable(),
});

const holder = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('citizen'), ...owner, documentNumber: z.string() }),
  z.strictObject({ kind: z.literal('organization'), ...owner }),
  z.strictObject({ kind: z.literal('service'), purpose: z.string() }),
]);

export const certificateSchema = z.strictObject({
  serial: z.string(),
  type: z.enum(['AUTH', 'SIGN', 'SEAL', 'OCSP', 'TSA', 'DOCUMENT']),
  level: z.enum(certificateLevels).nullable(),
  keyType: z.enum(['P-256', 'RSA']),
  status: z.enum(certificateViewStatuses),
  holder,
  authority: z.enum(issuingAuthorities),
  issuerDn: z.string(),
  notBefore: time,
  notAfter: time,
  fingerprint: optionalText,
  revocationReason: z.number().int().nullable(),
  revokedAt: time.nullable(),
  supersededBy: optionalText,
});

const actor = z.strictObject({ kind: z.string(), id: z.string() });

export const auditEntrySchema = z.strictObject({
  eventId: z.string(),
  type: z.string(),
  actor,
  subject: z.string(),
  outcome: z.enum(['OK', 'DENIED']),
  at: time,
  details: z.record(z.string(), z.unknown()),
});

export const timelineSchema = z.array(z.strictObject({ type: z.string(), time, actor }));

export const certificateDetailsSchema = certificateSchema.extend({ timeline: timelineSchema });

export const deviceDetailsSchema = deviceSchema.extend({
  /** PINs whose keys are lost for good. */
  lockedPins: z.array(z.enum(devicePins)),
  certificates: z.array(certificateSchema),
});

export const citizenDetailsSchema = citizenSchema.extend({
  devices: z.array(deviceSchema),
  certificates: z.array(certificateSchema),
  audit: z.array(auditEntrySchema),
});

const bilingual = z.strictObject({ en: z.string(), mn: z.string() });

export const sessionSchema = z.strictObject({
  sessionId: z.string(),
  kind: z.enum(['AUTHENTICATION', 'SIGNATURE', 'CERTIFICATE_CHOICE']),
  flow: z.enum(['NOTIFICATION', 'DEVICE_LINK']),
  state: z.enum(['RUNNING', 'COMPLETE']),
  endResult: optionalText,
  explanation: z
    .strictObject({ title: bilingual, means: bilingual, todo: bilingual, show: bilingual })
    .nullable()
    .meta({
      description:
        'What the end result means, what the relying party can do, and a sentence for the citizen; null while the session runs',
    }),
  refusedInteraction: optionalText,
  relyingPartyUUID: z.string(),
  relyingPartyName: z.string(),
  /**
   * Registered name, shown before the sent one that is not the relying party's own; null: only the sent name was shown.
   */
  registeredName: optionalText,
  subsystem: optionalText,
  personEtsi: optionalText,
  documentNumber: optionalText,
  onBehalfOf: z
    .strictObject({
      orgEtsi: z.string(),
      orgName: z.string(),
      role: optionalText,
      rightType: z.enum(['ADMIN', 'MANAGER']),
    })
    .nullable(),
  /** Requested minimum level. */
  certificateLevel: z.enum(certificateLevels),
  interactions: z.array(z.strictObject({ type: z.string(), text: z.string() })),
  interactionTypeUsed: optionalText,
  fileName: optionalText,
  digest: optionalText,
  hashType: optionalText,
  documents: z
    .array(
      z.strictObject({
        digest: z.string(),
        hashType: z.string(),
        text: z.string(),
        fileName: optionalText,
        signature: z.strictObject({ value: z.string(), signatureAlgorithm: z.string() }).nullable(),
      }),
    )
    .meta({ description: 'Documents of a batch, which is signed with one PIN; otherwise empty' }),
  /** Host of the callback URL; the rest may be confidential. */
  callbackHost: optionalText,
  signature: z.strictObject({ value: z.string(), signatureAlgorithm: z.string() }).nullable(),
  cert: z
    .strictObject({ serial: z.string(), certificateLevel: z.enum(certificateLevels) })
    .nullable(),
  startedAt: time,
  answerBefore: time,
  readableUntil: time,
  completedAt: time.nullable(),
  timeline: timelineSchema,
});
