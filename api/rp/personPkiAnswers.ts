import { z } from 'zod';
import { devicePlatforms } from '../../domain/device/events.ts';
import { certificateLevel, count, moment } from '../schemas/answers.ts';
import { listSnapshot } from '../schemas/listSnapshots.ts';

// Response schemas of the person PKI panel (contract §9).

const certificateCounts = z
  .object({ valid: count, revoked: count, expired: count, suspended: count, total: count })
  .meta({ id: 'CertificateCounts' });
const activityCounts = z.object({ authentication: count, signature: count });

export const summaryAnswer = z
  .object({
    givenName: z.string(),
    surname: z.string(),
    certificates: certificateCounts,
    activity: activityCounts,
    devicesActive: count,
    devicesTotal: count,
    representationCount: count,
  })
  .meta({ id: 'PersonSummary' });

export const certificatesAnswer = z
  .object({
    personEtsi: z.string(),
    counts: certificateCounts,
    certificates: z.array(
      z.object({
        documentNumber: z.uuid(),
        type: z.enum(['AUTH', 'SIGN']),
        serialNumber: z.string().meta({ description: 'Hexadecimal' }),
        certificateLevel,
        status: z.enum(['VALID', 'REVOKED', 'EXPIRED', 'SUSPENDED']),
        notBefore: moment,
        notAfter: moment,
        issuerDn: z.string(),
      }),
    ),
  })
  .meta({ id: 'PersonCertificates' });

export const devicesAnswer = z
  .object({
    personEtsi: z.string(),
    devices: z.array(
      z.object({
        documentNumber: z.uuid(),
        platform: z.enum(devicePlatforms),
        enrolledAt: moment,
        active: z.boolean(),
        deactivatedAt: moment.nullable(),
      }),
    ),
    activeCount: count,
    total: count,
  })
  .meta({ id: 'PersonDevices' });

export const activityAnswer = z
  .object({
    personEtsi: z.string(),
    counts: activityCounts,
    sessions: z.array(
      z.object({
        sessionId: z.uuid(),
        flow: z.enum(['AUTHENTICATION', 'SIGNATURE']),
        outcome: z.string().meta({ description: 'endResult, or RUNNING' }),
        docText: z.string().nullable(),
        timestamp: moment,
      }),
    ),
    total: count,
    snapshot: listSnapshot,
  })
  .meta({ id: 'PersonActivity' });
