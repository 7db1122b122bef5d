import type { Catalog } from './catalog.ts';

/** Parsed `data` of an event, of whatever version. */
export type StoredData = Readonly<Record<string, unknown>>;

/**
 * Turns `data` of one version into the next. Pure. Personal fields are decrypted before; those of a forgotten person
 * hold today's placeholders, which are set again afterwards.
 */
export type Upcaster = (data: StoredData) => StoredData;

/** For each event type: index 0 leads from version 1 to 2, index 1 from 2 to 3, and so on. */
export type Upcasters = Readonly<Record<string, readonly Upcaster[]>>;

/** Until then nobody was told of events. */
const withoutWebhooks: Upcaster = (data) => ({ ...data, webhooks: [] });

/** Those of the settings of a client, in either event. */
const ofClientSettings: readonly Upcaster[] = [
  // Until version 2 all ID tokens were signed with ES256.
  (data) => ({ ...data, idTokenSignedResponseAlg: 'ES256' }),
  // Until version 3 no client was held to a profile.
  (data) => ({ ...data, securityProfile: 'standard' }),
  // Until version 4 no app of a citizen's device was a client.
  (data) => ({ ...data, applicationType: 'web' }),
  // Until version 5 no client could ask for a payment.
  (data) => ({ ...data, authorizationDetailsTypes: [] }),
  // Until version 6 PKCE was required of all, and claims of scopes were in all ID tokens.
  (data) => ({ ...data, requirePkce: true, conformIdTokenClaims: false }),
  withoutApi,
  withoutBackchannel,
  // Until version 9 no device without a browser logged anybody in.
  (data) => ({ ...data, deviceFlow: false }),
  // Until version 10 no API acted at another one.
  (data) => ({ ...data, exchanges: [] }),
];

/** Those of every event type that is past version 1. */
export const upcasters: Upcasters = {
  SessionStarted: [
    // Version 2 holds nested requests; until then every request was flat.
    (data) => ({ ...data, interactionsAsSent: null, vcType: 'alphaNumeric4', nested: null }),
    // Until version 3 nobody acted for an organization.
    (data) => ({ ...data, onBehalfOf: null }),
    // Until version 4 the name sent was compared with nothing, and shown.
    (data) => ({ ...data, registeredName: null }),
    // Until version 5 relying parties read the logins of their clients, one document was signed at a time, and none asked
    // for signals of phones.
    (data) => ({
      ...data,
      openIdLogin: false,
      documents: null,
      documentTexts: null,
      riskSignals: null,
    }),
  ],
  // Until version 2 no link was signed.
  SessionClaimed: [(data) => ({ ...data, deviceLinkType: null })],
  SessionConfirmed: [(data) => ({ ...data, nested: null })],
  // Until version 2 every verification sufficed for every level.
  IdentityVerified: [(data) => ({ ...data, highestLevel: 'QSCD' })],
  RelyingPartyRegistered: [
    (data) => ({ ...data, smartIdStatuses: false }),
    // Until version 3 any name could be sent, and clients may rely on that.
    (data) => ({ ...data, otherNames: true }),
    withoutWebhooks,
    withoutContact,
  ],
  RelyingPartyEdited: [withoutWebhooks, withoutContact],
  // Until version 2 only citizens held certificates.
  CertificateRequested: [
    ({ civilId, documentNumber, ...data }) => ({
      ...data,
      keyLabel: null,
      holder: { kind: 'citizen', civilId, documentNumber },
      authority: 'personal',
    }),
  ],
  // Until version 2 the client was not recorded.
  DocumentCreated: [(data) => ({ ...data, clientId: null })],
  // Until version 2 nobody looked into files.
  DocumentFileAttached: [(data) => ({ ...data, warnings: null })],
  OidcClientRegistered: ofClientSettings,
  OidcClientEdited: ofClientSettings,
  // Until version 2 there were no scopes of APIs.
  ConsentGiven: [(data) => data],
  // Until version 2 no ADMIN was asked.
  SealCertificateRequested: [(data) => ({ ...data, confirmedIn: null })],
  CertificateIssued: [(data) => data],
  // Until version 2 a relying party renamed an organization and asked nobody.
  OrganizationRenamed: [(data) => ({ ...data, confirmedBy: null, confirmedIn: null })],
  // Until version 2 the evidence alone named the relying party that linked.
  RightGranted: [(data) => ({ ...data, linkedBy: relyingPartyIn(data['evidenceRef']) })],
  // Until version 2 no ADMIN was asked, and who invited for whom was in the metadata alone.
  SignerInvited: [(data) => ({ ...data, linkedBy: null, adminSessionId: null })],
  SignerConfirmed: [(data) => ({ ...data, confirmedBy: null })],
  // Until version 2 the person was notified of every end.
  RightWithdrawn: [(data) => ({ ...data, wasConfirmed: true })],
  // Version 1 did not say: only the sealId in common with a DocumentSealed does.
  SealDenied: [(data) => ({ ...data, takesBack: false })],
};

/** Until version 5 of a registration and 3 of an edit nobody was named whom to write to. */
function withoutContact(data: StoredData): StoredData {
  return { ...data, contactName: null, contactEmail: null, contactPhone: null };
}

/** Until version 7 no client of the provider was an API, or asked for one. */
function withoutApi(data: StoredData): StoredData {
  const api = { audience: null, apiScopes: [], accessTokenFormat: 'jwt', accessTokenSeconds: null };
  return { ...data, ...api, apis: [] };
}

/** Until version 8 no client asked citizens on their phones without a browser. */
function withoutBackchannel(data: StoredData): StoredData {
  const mode = { backchannelTokenDeliveryMode: 'none' };
  return { ...data, ...mode, backchannelClientNotificationEndpoint: null };
}

function relyingPartyIn(evidenceRef: unknown): string | null {
  return /^relying party ([\da-f-]{36})$/.exec(String(evidenceRef))?.[1] ?? null;
}

/** The log holds an event this release has no way to read. */
export class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent';
  /** True when its type or version is one that a newer release has. */
  readonly isNewer: boolean;

  constructor(type: string, version: unknown, isNewer = false) {
    super(`No catalog entry for event type ${type}, schema version ${String(version)}.`);
    this.isNewer = isNewer;
  }
}

/** Brings `data` from `version` to the newest. @throws UnknownEvent when there is no way there */
export function upcast(
  { catalog, upcasters: known }: { readonly catalog: Catalog; readonly upcasters: Upcasters },
  event: { readonly type: string; readonly version: number; readonly data: StoredData },
): StoredData {
  const newest = catalog[event.type]?.version;
  if (!Number.isInteger(event.version) || event.version < 1) {
    throw new UnknownEvent(event.type, event.version);
  }
  if (newest === undefined || event.version > newest) {
    throw new UnknownEvent(event.type, event.version, true);
  }
  let data = event.data;
  for (let version = event.version; version < newest; version += 1) {
    const step = known[event.type]?.[version - 1];
    if (step === undefined) throw new UnknownEvent(event.type, version);
    data = step(data);
  }
  return data;
}
