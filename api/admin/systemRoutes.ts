import { z } from 'zod';
import { undeliveredKinds } from '../../application/ports/undelivered.ts';
import { certificateLevel, count, moment } from '../schemas/answers.ts';
import { type Route, route } from '../http/route.ts';
import { dependencyState, leftBehindAnswer } from '../platform/health.ts';
import type { OperatorGuards } from './guard.ts';

/** Configured settings as booleans, never their values. */
const configurationAnswer = z.strictObject({
  databaseConfigured: z.boolean(),
  eventStoreConfigured: z.boolean(),
  redisConfigured: z.boolean(),
  tlsConfigured: z.boolean(),
  clientCertificatesConfigured: z.boolean(),
  swMasterKeyConfigured: z.boolean(),
  hardwareKeysConfigured: z.boolean(),
  organizationCaKeyConfigured: z.boolean(),
  organizationCaCertificateConfigured: z.boolean(),
  policyArcConfigured: z.boolean(),
  qualifiedSealDevice: z.boolean(),
  externalTimestampingConfigured: z.boolean(),
  pushGatewayConfigured: z.boolean(),
  pushGatewayCredentialConfigured: z.boolean(),
  assistantModelConfigured: z.boolean(),
  assistantTranscriptionConfigured: z.boolean(),
  assistantSpeechConfigured: z.boolean(),
  assistantEmbeddingsConfigured: z.boolean(),
  assistantBudgetConfigured: z.boolean(),
  operatorSignInConfigured: z.boolean(),
  breakGlassConfigured: z.boolean(),
  firstOperatorConfigured: z.boolean(),
  openToEverybody: z.boolean(),
  fourEyesRequired: z.boolean(),
  maintenance: z.boolean(),
});

export type ConfigurationStatus = z.infer<typeof configurationAnswer>;

const identityVerificationState = z.strictObject({
  method: z.string(),
  available: z.boolean(),
  state: z
    .enum(['active', 'degraded', 'disabled', 'not_configured'])
    .meta({ description: 'degraded: the party outside it needs did not answer the last call' }),
  missing: z
    .array(z.string())
    .meta({ description: 'Names of the settings it would take; none of an active one' }),
});

export type IdentityVerificationState = z.infer<typeof identityVerificationState>;

/** Parked events shown at once. */
export const PARKED_SHOWN = 100;

const systemAnswer = z
  .strictObject({
    version: z.string(),
    startedAt: moment,
    uptimeSeconds: count,
    profile: z.enum(['development', 'staging', 'production']),
    roles: z.array(z.string()),
    configuration: configurationAnswer,
    identityVerification: z.array(identityVerificationState),
    projections: z.array(
      z.strictObject({
        name: z.string(),
        state: z.enum(['STANDBY', 'RUNNING', 'RETRYING', 'FAILED']).meta({
          description:
            'STANDBY: another process keeps it; RETRYING: what it needs is away; FAILED: an event stopped it',
        }),
        fault: z
          .strictObject({ error: z.string(), eventId: z.string().nullable() })
          .nullable()
          .meta({ description: 'What stopped it, where this process keeps it; null: nothing' }),
        lagSeconds: z.number().min(0),
      }),
    ),
    parkedEvents: z
      .array(
        z.strictObject({
          projection: z.string(),
          eventId: z.string().meta({ description: 'The event at fault' }),
          error: z.string().nullable().meta({ description: 'Class of its error' }),
          events: count.meta({ description: 'Events of the row that wait, this one included' }),
          attempts: count,
          since: moment,
        }),
      )
      .meta({ description: `Events that cannot be projected, ${PARKED_SHOWN} at most` }),
    ...leftBehindAnswer,
    undelivered: z
      .array(
        z.strictObject({
          kind: z.enum(undeliveredKinds).meta({
            description:
              'Logout tokens to clients, notices to phones, or events to relying parties',
          }),
          clientId: z
            .string()
            .nullable()
            .meta({ description: 'Client, or relying party; null: the push gateway' }),
          waiting: count.meta({ description: 'Sent again, for a day' }),
          givenUp: count.meta({ description: 'Within the last week' }),
          since: moment.meta({ description: 'Beginning of the oldest' }),
          attempts: count.meta({ description: 'Failed attempts at the one tried most' }),
          reason: z.string().meta({ description: 'Why the last attempt failed' }),
        }),
      )
      .meta({ description: 'Who did not take what is sent to them, a hundred at most' }),
    archive: z
      .strictObject({ sessions: count, events: count, bytes: count, newestAt: moment.nullable() })
      .meta({
        description: 'Ended sessions kept outside the database; newestAt: when the last came',
      }),
    dependencies: z.array(
      z.strictObject({
        name: z.string(),
        state: dependencyState,
        reason: z
          .string()
          .nullable()
          .meta({ description: 'Why it is not up, where this is known' }),
      }),
    ),
  })
  .meta({ id: 'SystemStatus' });

const certificate = z
  .strictObject({
    subject: z.string(),
    serialNumber: z.string(),
    notBefore: moment,
    notAfter: moment,
    expiresInDays: z.int(),
  })
  .meta({ id: 'CertificateValidity' });

const authority = z.strictObject({
  authority: z.string(),
  /** Of the generations of an issuing CA the one that issues; the root always. */
  issues: z.boolean(),
  certificate,
  keyType: z.string(),
  revocationCount: count,
  certificateAddress: z.url(),
  crlAddress: z.url(),
  /** Null before the first CRL was published. */
  crl: z.strictObject({ number: z.string(), thisUpdate: moment, nextUpdate: moment }).nullable(),
});

const pkiAnswer = z
  .strictObject({
    authorities: z.array(authority),
    ocspAddress: z.url(),
    /** Key and certificate of the Organization CA provided by the operator, if any. */
    organizationCa: z.strictObject({
      keyConfigured: z.boolean(),
      certificateConfigured: z.boolean(),
    }),
    seal: z.strictObject({ qualifiedDevice: z.boolean(), certificateLevel }),
    signers: z.array(z.strictObject({ purpose: z.string(), certificate })),
  })
  .meta({ id: 'PkiStatus' });

export type SystemStatus = z.infer<typeof systemAnswer>;
export type PkiStatus = z.infer<typeof pkiAnswer>;

/** State and configuration of the platform, for operators with `config:read`; without secrets. */
export function systemRoutes(
  guards: OperatorGuards,
  status: {
    readonly system: () => Promise<SystemStatus>;
    readonly pki: () => Promise<PkiStatus>;
    /** Has the events of a read model that wait be projected again. @returns the number of rows */
    readonly retryParked: (readModel: string) => Promise<number>;
  },
): readonly Route[] {
  const common = {
    method: 'GET',
    guard: guards.withCapability('config:read'),
  } as const;
  return [
    route({
      ...common,
      name: 'admin.system',
      summary: 'Version, uptime, what is configured, how dependencies and projections are',
      path: '/v3/admin/system',
      response: { 200: systemAnswer },
      handle: async () => ({ body: await status.system() }),
    }),
    route({
      ...common,
      name: 'admin.pki.status',
      summary: 'The certificate authorities and what the platform signs with',
      path: '/v3/admin/pki/status',
      response: { 200: pkiAnswer },
      handle: async () => ({ body: await status.pki() }),
    }),
    route({
      name: 'admin.projections.retry',
      summary: 'Tries again to project the events of a read model that could not be',
      method: 'POST',
      path: '/v3/admin/projections/:name/retry',
      guard: guards.withCapability('config:write'),
      params: z.object({ name: z.string().min(1).max(100) }),
      response: { 200: z.strictObject({ rows: count }) },
      handle: async ({ params: { name } }) => ({ body: { rows: await status.retryParked(name) } }),
    }),
  ];
}
