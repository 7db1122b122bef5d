import type { OperatorGuards } from '../../api/admin/guard.ts';
import { statisticsRoute } from '../../api/admin/statisticsRoute.ts';
import {
  type ConfigurationStatus,
  PARKED_SHOWN,
  type IdentityVerificationState,
  type PkiStatus,
  systemRoutes,
} from '../../api/admin/systemRoutes.ts';
import type { Route } from '../../api/http/route.ts';
import { dependencyStates, type HealthOptions, leftBehindBody } from '../../api/platform/health.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { RevocationList } from '../../application/certificate/ports/revocationLists.ts';
import { type IssuingAuthority, kindOf } from '../../domain/shared/issuingCas.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { caOf } from '../../infrastructure/pki/caIssuing.ts';
import { parseSignedCertificate, subjectText } from '../../infrastructure/pki/parsedCertificate.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';
import { createStatisticsView } from '../../projections/statistics.ts';
import type { Core } from './core.ts';

const DAY_MS = 86_400_000;

export interface SystemStatusOptions {
  readonly guards: OperatorGuards;
  readonly checks: HealthOptions['checks'];
  readonly partners: HealthOptions['checks'];
  /** @throws Unavailable before the first was published */
  readonly revocationList: (authority: IssuingAuthority) => Promise<RevocationList>;
  readonly leftBehind: NonNullable<HealthOptions['leftBehind']>;
  readonly version: string;
  readonly verifications: () => readonly IdentityVerificationState[];
}

/** Dashboard, system status and PKI for operators. */
export function composeSystemStatus(
  { config, foundation, keys, serviceIdentities }: Core,
  {
    guards,
    checks,
    partners,
    revocationList,
    leftBehind,
    version,
    verifications,
  }: SystemStatusOptions,
): readonly Route[] {
  const { archive, clock, database, parkedRows, projector, staleness, undelivered } = foundation;
  const statistics = failingFast(createStatisticsView(database));
  const startedAt = clock.now();
  const base = publicAddresses(config).pki;

  function validity(der: Buffer): PkiStatus['signers'][number]['certificate'] {
    const { serial, notBefore, notAfter } = parseSignedCertificate(der);
    return {
      subject: subjectText(der),
      serialNumber: serial.toString('hex'),
      notBefore: notBefore.toISOString(),
      notAfter: notAfter.toISOString(),
      expiresInDays: Math.floor((notAfter.getTime() - clock.now().getTime()) / DAY_MS),
    };
  }

  async function authorityStatus(name: IssuingAuthority, revocations: number) {
    const issuer = keys.authority.issuer(name);
    return {
      authority: name,
      issues: name === 'root' || (await keys.authority.active(kindOf(name))).authority === name,
      certificate: validity(issuer.certificate),
      keyType: issuer.keyType,
      revocationCount: revocations,
      certificateAddress: base + caOf(name).certificatePath,
      crlAddress: base + caOf(name).crlPath,
      crl: await newestList(name),
    };
  }

  async function newestList(name: IssuingAuthority) {
    try {
      const { number, thisUpdate, nextUpdate } = await revocationList(name);
      return {
        number: number.toString(),
        thisUpdate: thisUpdate.toISOString(),
        nextUpdate: nextUpdate.toISOString(),
      };
    } catch (error) {
      if (error instanceof Unavailable) return null;
      throw error;
    }
  }

  async function pki(): Promise<PkiStatus> {
    const revoked = await statistics.revokedCertificates();
    const { issuingCas } = keys.authority;
    return {
      authorities: await Promise.all(
        (['root', ...issuingCas] as const).map((name) =>
          authorityStatus(name, revoked.get(name) ?? 0),
        ),
      ),
      ocspAddress: `${base}/ocsp`,
      organizationCa: {
        keyConfigured: config.SVC_HSMPROXY_ORG_KEY_LABEL !== undefined,
        certificateConfigured: config.SVC_HSMPROXY_ORG_ISSUING_CERT !== undefined,
      },
      seal: {
        qualifiedDevice: config.SVC_SEAL_QSCD,
        certificateLevel: config.SVC_SEAL_QSCD ? 'QSCD' : 'QUALIFIED',
      },
      signers: serviceIdentities.held().map(({ purpose, certificate }) => ({
        purpose,
        certificate: validity(certificate),
      })),
    };
  }

  async function archived() {
    const { newestAt, ...sums } = await archive.catalog.totals();
    return { ...sums, newestAt: newestAt?.toISOString() ?? null };
  }

  async function parked() {
    const rows = await parkedRows.list();
    return rows.slice(0, PARKED_SHOWN).map(({ readModel, since, ...row }) => ({
      projection: readModel,
      eventId: row.eventId,
      error: row.error,
      events: row.events,
      attempts: row.attempts,
      since: since.toISOString(),
    }));
  }

  async function unarrived() {
    const recipients = await undelivered.list();
    return recipients.map(({ since, ...each }) => ({ ...each, since: since.toISOString() }));
  }

  const system = async () => ({
    version,
    startedAt: startedAt.toISOString(),
    uptimeSeconds: Math.floor((clock.now().getTime() - startedAt.getTime()) / 1000),
    profile: config.SVC_PROFILE,
    roles: [...config.SVC_ROLES],
    configuration: configurationStatus(config),
    identityVerification: [...verifications()],
    projections: projector.status().map(({ name, state, fault }) => ({
      name,
      state,
      fault,
      lagSeconds: staleness.lagMs(name) / 1000,
    })),
    parkedEvents: await parked(),
    ...(await leftBehindBody({ leftBehind })),
    undelivered: await unarrived(),
    archive: await archived(),
    dependencies: (await dependencyStates({ checks, partners })).map(([name, state, reason]) => ({
      name,
      state,
      reason,
    })),
  });

  const retryParked = (readModel: string) => parkedRows.retry({ readModel });
  return [
    statisticsRoute(guards, { statistics, clock }),
    ...systemRoutes(guards, { system, pki, retryParked }),
  ];
}

function configurationStatus(config: Config): ConfigurationStatus {
  const isSet = (name: keyof Config) => config[name] !== undefined;
  return {
    databaseConfigured: isSet('SVC_DATABASE_URL'),
    eventStoreConfigured: isSet('SVC_EVENTSTORE_URL'),
    redisConfigured: isSet('SVC_REDIS_URL'),
    tlsConfigured: isSet('SVC_TLS_CERT'),
    clientCertificatesConfigured: isSet('SVC_TLS_CLIENT_CA'),
    swMasterKeyConfigured: isSet('SVC_SW_MASTER_KEY'),
    hardwareKeysConfigured: isSet('SVC_PKCS11_MODULE'),
    organizationCaKeyConfigured: isSet('SVC_HSMPROXY_ORG_KEY_LABEL'),
    organizationCaCertificateConfigured: isSet('SVC_HSMPROXY_ORG_ISSUING_CERT'),
    policyArcConfigured: isSet('SVC_PKI_POLICY_ARC'),
    qualifiedSealDevice: config.SVC_SEAL_QSCD,
    externalTimestampingConfigured: isSet('SVC_TSA_URL'),
    pushGatewayConfigured: isSet('SVC_PUSH_GATEWAY_URL'),
    pushGatewayCredentialConfigured: isSet('SVC_PUSH_GATEWAY_TOKEN'),
    assistantModelConfigured: isSet('ANTHROPIC_API_KEY'),
    assistantTranscriptionConfigured: isSet('SVC_AI_STT_URL'),
    assistantSpeechConfigured: isSet('SVC_AI_TTS_URL'),
    assistantEmbeddingsConfigured: isSet('SVC_AI_EMBEDDINGS_URL'),
    assistantBudgetConfigured: isSet('SVC_AI_DAILY_BUDGET'),
    operatorSignInConfigured: isSet('SVC_ADMIN_TOKEN_SECRET'),
    breakGlassConfigured: isSet('SVC_ADMIN_API_KEY'),
    firstOperatorConfigured: isSet('SVC_ADMIN_SEED_EMAIL'),
    openToEverybody: config.SVC_PROFILE === 'development' && !isSet('SVC_ADMIN_API_KEY'),
    fourEyesRequired: config.SVC_ADMIN_REQUIRE_4EYES,
    maintenance: config.SVC_MAINTENANCE,
  };
}
