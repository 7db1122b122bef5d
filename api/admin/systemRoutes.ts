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
    .meta({ description: 'degraded: an external service it needs did not answer the last call' }),
  missing: z
    .array(z.string())
    .meta({ description: 'Names of the settings that would enable it; empty if it is active' }),
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
            'STANDBY: another process runs it; RETRYING: a dependency is unavailable; FAILED: an event stopped it',
        }),
        fault: z
          .strictObject({ error: z.string(), eventId: z.string().nullable() })
          .nullable()
          .meta({ description: 'What stopped it, if this process runs it; null if nothing did' }),
        lagSeconds: z.number().min(0),
      }),
    ),
    parkedEvents: z
      .array(
        z.strictObject({
          projection: z.string(),
          eventId: z.string().meta({ description: 'The event that failed' }),
          error: z.string().nullable().meta({ description: 'Class of the error' }),
          events: count.meta({ description: 'Waiting events of the row, including this one' }),
          attempts: count,
          since: moment,
        }),
      )
      .meta({ description: `Events that cannot be projected, at most ${PARKED_SHOWN}` }),
    ...leftBehindAnswer,
    undelivered: z
      .array(
        z.strictObject({
          kind: z.enum(undeliveredKinds).meta({
            description:
              'Logout tokens for clients, notices for phones, or events for relying parties',
          }),
          clientId: z
            .string()
            .nullable()
            .meta({ description: 'The client or relying party; null for the push gateway' }),
          waiting: count.meta({ description: 'Deliveries that are retried, for a day' }),
          givenUp: count.meta({ description: 'Deliveries given up within the last week' }),
          since: moment.meta({ description: 'Start of the oldest delivery' }),
          attempts: count.meta({
            description: 'Failed attempts at the delivery that was tried most often',
          }),
          reason: z.string().meta({ description: 'Why the last attempt failed' }),
        }),
      )
      .meta({ description: 'Recipients that did not accept deliveries, at most a hundred' }),
    archive: z
      .strictObject({ sessions: count, events: count, bytes: count, newestAt: moment.nullable() })
      .meta({
        description:
          'Ended sessions kept outside the database; newestAt is the time when the last one was added',
      }),
    dependencies: z.array(
      z.strictObject({
        name: z.string(),
        state: dependencyState,
        reason: z.string().nullable().meta({ description: 'Why it is not up, if known' }),
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
      summary: 'Get the version, uptime, configuration, and state of dependencies and projections',
      path: '/v3/admin/system',
      response: { 200: systemAnswer },
      handle: async () => ({ body: await status.system() }),
    }),
    route({
      ...common,
      name: 'admin.pki.status',
      summary: "List the certificate authorities and the platform's signing keys",
      path: '/v3/admin/pki/status',
      response: { 200: pkiAnswer },
      handle: async () => ({ body: await status.pki() }),
    }),
    route({
      name: 'admin.projections.retry',
      summary: 'Retry the events of a read model that could not be projected',
      method: 'POST',
      path: '/v3/admin/projections/:name/retry',
      guard: guards.withCapability('config:write'),
      params: z.object({ name: z.string().min(1).max(100) }),
      response: { 200: z.strictObject({ rows: count }) },
      handle: async ({ params: { name } }) => ({ body: { rows: await status.retryParked(name) } }),
    }),
  ];
}
