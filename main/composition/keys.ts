import {
  createServiceIdentities,
  type StartableServiceIdentities,
} from '../../application/certificate/serviceIdentities.ts';
import type { IssuingCas } from '../../application/aggregates.ts';
import { caKinds } from '../../domain/shared/issuingCas.ts';
import { createGuardedKeyVault } from '../../application/log/restoreGate.ts';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';
import { openKeyVault } from '../../infrastructure/hsm/openKeyVault.ts';
import { createCertificateAuthority } from '../../infrastructure/pki/certificateAuthority.ts';
import {
  createEcdsaDigestPool,
  type EcdsaDigestPool,
} from '../../infrastructure/pki/ecdsaDigestPool.ts';
import { readCertificates } from '../../infrastructure/pki/readCertificates.ts';
import { createRevokedIssuers } from '../../infrastructure/pki/revokedIssuers.ts';
import { createSignatureVerifier } from '../../infrastructure/pki/signatureVerifier.ts';
import { createPostgresCaCertificates } from '../../infrastructure/postgres/caCertificates.ts';
import { createPostgresRevocationLists } from '../../infrastructure/postgres/revocationLists.ts';
import { createPostgresServiceIdentityPointers } from '../../infrastructure/postgres/serviceIdentityPointers.ts';
import type { Aggregates } from './aggregates.ts';
import type { Foundation } from './foundation.ts';

export type Keys = ReturnType<typeof createKeys>;

/** The platform's keys and its certificate authorities. @param usesKeys false: in a command that needs none */
export function createKeys(
  config: Config,
  foundation: Foundation,
  {
    aroundDigests,
    usesKeys,
    issuingCas,
  }: {
    readonly aroundDigests: (digests: EcdsaDigestPool) => EcdsaDigestPool;
    readonly usesKeys: boolean;
    readonly issuingCas: IssuingCas;
  },
) {
  const ecdsaDigests = aroundDigests(createEcdsaDigestPool());
  const { stop, ...opened } = usesKeys
    ? openKeys(config, foundation, { ecdsaDigests, issuingCas })
    : noKeys();
  return {
    ...opened,
    /** Caches keys and outcomes, so that one command need not repeat a verification of another. */
    signatureVerifier: createSignatureVerifier({ ecdsaDigests }),
    stop: async () => {
      await stop();
      await ecdsaDigests.stop();
    },
  };
}

function openKeys(
  config: Config,
  foundation: Foundation,
  {
    ecdsaDigests,
    issuingCas,
  }: { readonly ecdsaDigests: EcdsaDigestPool; readonly issuingCas: IssuingCas },
) {
  const { clock, randomness, pool, wrapping, restoreGate, notifications } = foundation;
  const { SVC_HSMPROXY_ORG_ISSUING_CERT: organizationCertificate } = config;
  const keys = openKeyVault(config, { pool, wrapping, ecdsaDigests });
  // One place for all that is signed: nothing is while a restored backup is not accepted.
  const guarded = (vault: KeyVault) => createGuardedKeyVault(vault, restoreGate);
  const keyVault = guarded(keys.keyVault);
  const revokedIssuers = createRevokedIssuers({
    lists: createPostgresRevocationLists(pool),
    feed: notifications,
  });
  const authority = createCertificateAuthority({
    revokedIssuers,
    // Asked of the log at each certificate, which are few: an activation counts at once, in every process.
    activated: async (kind) => (await issuingCas.load(kind)).state,
    clock,
    randomness,
    vault: keyVault,
    certificates: createPostgresCaCertificates(pool),
    ...certified(config),
    organizationCa: {
      keyLabel: config.SVC_HSMPROXY_ORG_KEY_LABEL,
      certificate:
        organizationCertificate === undefined
          ? undefined
          : readCertificates(organizationCertificate)[0],
    },
    ...(keepsRootOffline(config) && {
      noRootKeyIn: [keys.softwareKeys, ...(keys.tokenKeys === null ? [] : [keys.tokenKeys])],
    }),
  });
  return {
    authority,
    revokedIssuers,
    keyVault,
    /** Vaults of organizations' seal keys, by the level of their certificates. */
    sealVaults: {
      QUALIFIED: guarded(keys.softwareKeys),
      QSCD: keys.tokenKeys && guarded(keys.tokenKeys),
    },
    stop: () => {
      revokedIssuers.stop();
      return keys.stop();
    },
  };
}

/** Content of certificates that the settings say: operator, addresses, begin of validity. */
export const certified = (config: Config) => ({
  baseUrl: publicAddresses(config).pki,
  operator: {
    name: config.SVC_PKI_OPERATOR_NAME,
    etsi: config.SVC_PKI_OPERATOR_ETSI,
    country: 'MN',
  },
  policyArc: config.SVC_PKI_POLICY_ARC,
  clockSlackMs: config.SVC_CLOCK_SLACK * 1000,
});

/** True: the service refuses to have the key of the Root CA. */
export const keepsRootOffline = (config: Config) =>
  config.SVC_PROFILE === 'production' && !config.SVC_ROOT_KEY_ONLINE;

/** Stands in for the keys in a command that needs none. */
function noKeys(): ReturnType<typeof openKeys> {
  const refuse = (): never => {
    throw new Error('This command needed a key although it should not. Please report this.');
  };
  const keyVault: KeyVault = {
    ensureKey: refuse,
    findKey: refuse,
    sign: refuse,
    signDigest: refuse,
    check: refuse,
  };
  return {
    authority: {
      start: refuse,
      issuer: refuse,
      beginOfValidity: refuse,
      issue: refuse,
      active: refuse,
      isRevoked: refuse,
      issuerOf: refuse,
      issuingCas: caKinds,
      certificates: { root: Buffer.alloc(0), issuing: [] },
    },
    revokedIssuers: { of: refuse, stop: () => undefined },
    keyVault,
    sealVaults: { QUALIFIED: keyVault, QSCD: null },
    stop: () => Promise.resolve(),
  };
}

/** The keys and certificates of the platform's own services; started after the certificate authority. */
export function composeServiceIdentities(
  { clock, randomness, notifications, pool, log }: Foundation,
  { certificates }: Aggregates,
  { authority, keyVault }: Keys,
): StartableServiceIdentities {
  return createServiceIdentities({
    certificates,
    authority,
    keyVault,
    clock,
    randomness,
    feed: notifications,
    pointers: createPostgresServiceIdentityPointers(pool),
    onFailure: (purpose, cause) =>
      log.error({ purpose, err: cause }, 'A certificate of the platform could not be renewed.'),
  });
}
