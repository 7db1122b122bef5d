import { z } from 'zod';
import type { VerificationMethod } from '../../domain/identityVerification/events.ts';
import { type CertificateLevel, certificateLevels } from '../../domain/shared/certificateLevel.ts';
import { type ClaimPointers, readClaims } from '../identity/claims.ts';
import { chipProofs } from '../passport/verifyPassport.ts';
import { endpoint, identifier } from './addresses.ts';
import { count, flag, list, secret, setting } from './settings.ts';

const claim = z
  .string()
  .regex(new RegExp(`^(${readClaims.join('|')})=(/[^/]*)+$`), 'must be claim=/json/pointer')
  .transform((text) => {
    const equals = text.indexOf('=');
    return [text.slice(0, equals), text.slice(equals + 1)] as const;
  });

/** Settings of identity verification: which methods are active, and their limits. */
export const identityVerificationSettings = {
  SVC_KYC_REQUESTS_PER_MINUTE: setting(
    count(1, 100_000_000).default(60),
    'Identity verifications that one address may start per minute, and steps that it may send in them.',
  ),
  SVC_KYC_MINUTES: setting(
    count(1, 60).default(15),
    'Time an identity verification stays open, in minutes.',
  ),
  SVC_KYC_ATTEMPTS: setting(count(1, 20).default(5), 'Attempts in one identity verification.'),
  SVC_KYC_CITIZEN_CARD: setting(
    flag.optional(),
    'Verify identities by the number of the identity card, against the civil registry. Anyone who has seen the card can pass this check.',
    'production: false, otherwise true',
  ),
  SVC_KYC_UNPROVED_LEVEL: setting(
    z.enum(certificateLevels).optional(),
    'Highest certificate level after verification by an identity card number alone, or by a passport whose chip did not prove that it is not a copy.',
    'development: QUALIFIED, otherwise ADVANCED',
  ),
  SVC_SIGNING_COOLING_HOURS: setting(
    count(0, 8760).optional(),
    'Time before a newly enrolled phone can make its first qualified signature, in hours; 0 means none.',
    'development: 0, otherwise 72',
  ),
  SVC_ENROLMENT_BLOCK_HOURS: setting(
    count(0, 8760).default(72),
    'Time during which a citizen can stop a new phone from an older one by "It was not me", in hours. After that answer, no other phone can be enrolled for as long. 0 means none.',
  ),
  SVC_KYC_PASSPORT_CSCA: setting(
    z.string().optional(),
    'Path of the country signing CAs that passports must chain to: certificates as PEM, or a master list (ICAO Doc 9303-12). If set, identities can be verified by passport.',
  ),
  SVC_KYC_PASSPORT_CRL: setting(
    z.string().optional(),
    'Path of the revocation lists of these CAs, DER or PEM: a file, or a directory of files. They are read again when one changes.',
    'revocation is unknown',
  ),
  SVC_KYC_PASSPORT_CHIP: setting(
    z.enum(chipProofs).default('offered'),
    'Whether the chip must prove that it is not a copy (active authentication, ICAO Doc 9303-11 §6.1). `optional`: never. `offered`: if the document has a key for it (DG15). `required`: always; other documents are refused.',
  ),
  SVC_KYC_DAN_AUTHORIZE_URL: setting(
    endpoint.optional(),
    'Authorization endpoint (RFC 6749) of the authority where people sign in, for identification by the method `dan`.',
    'the method `dan` is off',
  ),
  SVC_KYC_DAN_TOKEN_URL: setting(endpoint.optional(), 'Its token endpoint.'),
  SVC_KYC_DAN_USERINFO_URL: setting(
    endpoint.optional(),
    'Its endpoint that answers who signed in, as JSON, to a `GET` with the access token.',
  ),
  SVC_KYC_DAN_CLIENT_ID: setting(
    z.string().min(1).max(512).optional(),
    "The platform's client id there.",
  ),
  SVC_KYC_DAN_CLIENT_SECRET: secret(
    z.string().min(1).optional(),
    "The platform's client secret there, sent in the body (`client_secret_post`).",
  ),
  SVC_KYC_DAN_SCOPE: setting(
    z.string().min(1).max(4096).default('openid profile'),
    'Scope to ask for. If it includes `openid`, the ID token and its nonce are checked.',
  ),
  SVC_KYC_DAN_ISSUER: setting(
    identifier.optional(),
    'Its issuer identifier, which must be the `iss` of its ID tokens (OpenID Connect Core 1.0 §3.1.3.7).',
    'any',
  ),
  SVC_KYC_DAN_CLAIMS: setting(
    list
      .pipe(z.array(claim).min(1))
      .transform((pairs) => Object.fromEntries(pairs) as ClaimPointers)
      .refine(
        ({ registrationNumber, civilId }) =>
          registrationNumber !== undefined || civilId !== undefined,
        'must name registrationNumber or civilId',
      )
      .default({ registrationNumber: '/regnum' }),
    `Where each claim is in the answer of SVC_KYC_DAN_USERINFO_URL: \`claim=/json/pointer\` (RFC 6901), comma-separated. Claims: ${readClaims.map((name) => `\`${name}\``).join(', ')}. The first two find the person; the others must match the civil registry.`,
    'registrationNumber=/regnum',
  ),
  SVC_KYC_DAN_RETURN_URL: setting(
    identifier.optional(),
    'Address of the app that started the verification. The browser goes there with `state` and `code` after `/v3/kyc/dan/callback`.',
    '<SVC_APP_SCHEME>://kyc/dan',
  ),
  SVC_KYC_GSIGN_TRUST: setting(
    z.string().min(1).optional(),
    "Path of the certificates (PEM) of CAs whose certificates identify people by the method `gsign`. The app sends intermediate certificates with the person's certificate.",
    'the method `gsign` is off',
  ),
  SVC_KYC_GSIGN_OCSP: setting(
    z.enum(['certificate', 'none']).default('certificate'),
    'How the status of such certificates is checked. `certificate`: at the OCSP responder that each one names. `none`: not at all; only outside production.',
  ),
  SVC_KYC_DAN_TIMEOUT: setting(
    count(1, 60).default(10),
    'Timeout of each call to the `dan` authority, in seconds.',
  ),
} as const;

const danEndpoints = [
  'SVC_KYC_DAN_AUTHORIZE_URL',
  'SVC_KYC_DAN_TOKEN_URL',
  'SVC_KYC_DAN_USERINFO_URL',
] as const;
const danSettings = [
  ...danEndpoints,
  'SVC_KYC_DAN_CLIENT_ID',
  'SVC_KYC_DAN_CLIENT_SECRET',
] as const;

/** Settings that activate each method. */
export const activatingSettings = {
  citizenCard: ['SVC_KYC_CITIZEN_CARD'],
  dan: danSettings,
  gsign: ['SVC_KYC_GSIGN_TRUST'],
  passport: ['SVC_KYC_PASSPORT_CSCA'],
} as const satisfies Readonly<
  Record<VerificationMethod, readonly (keyof typeof identityVerificationSettings)[]>
>;

type Texts<Name extends string> = Readonly<Partial<Record<Name, string | undefined>>>;

/**
 * Rejects unencrypted connections to authorities, and certificates accepted without a revocation check, in production.
 * @returns faults by name
 */
export function unsafeIdentityVerificationSettings(
  config: Texts<(typeof danEndpoints)[number] | 'SVC_KYC_GSIGN_TRUST' | 'SVC_KYC_GSIGN_OCSP'>,
): readonly string[] {
  const inTheClear = danEndpoints
    .filter((name) => config[name]?.startsWith('http://') === true)
    .map((name) => `${name}: must be https in production`);
  const isBlind = config.SVC_KYC_GSIGN_TRUST !== undefined && config.SVC_KYC_GSIGN_OCSP === 'none';
  return isBlind
    ? [...inTheClear, 'SVC_KYC_GSIGN_OCSP: revocation must be checked in production']
    : inTheClear;
}

/** Rejects incompletely configured authorities. @returns faults by name */
export function incompleteIdentityVerification(
  config: Texts<(typeof danSettings)[number]>,
): readonly string[] {
  const missing = danSettings.filter((name) => config[name] === undefined);
  return missing.length === 0 || missing.length === danSettings.length
    ? []
    : [`${missing.join(', ')}: needed together with the other SVC_KYC_DAN_* settings`];
}

/** Defaults by profile: in production the data printed on a card must not suffice. */
export function identityProofing({
  SVC_PROFILE: profile,
  SVC_KYC_CITIZEN_CARD: citizenCard,
  SVC_KYC_UNPROVED_LEVEL: unprovedLevel,
  SVC_SIGNING_COOLING_HOURS: coolingHours,
  SVC_ENROLMENT_BLOCK_HOURS: blockHours,
  SVC_CLOCK_SLACK: slackSeconds,
}: {
  readonly SVC_PROFILE: string;
  readonly SVC_KYC_CITIZEN_CARD: boolean | undefined;
  readonly SVC_KYC_UNPROVED_LEVEL: CertificateLevel | undefined;
  readonly SVC_SIGNING_COOLING_HOURS: number | undefined;
  readonly SVC_ENROLMENT_BLOCK_HOURS: number;
  readonly SVC_CLOCK_SLACK: number;
}): {
  readonly citizenCard: boolean;
  readonly unprovedLevel: CertificateLevel;
  readonly signingCoolingMs: number;
  readonly enrolmentBlockMs: number;
} {
  const isDevelopment = profile === 'development';
  const hours = coolingHours ?? (isDevelopment ? 0 : 72);
  return {
    citizenCard: citizenCard ?? profile !== 'production',
    unprovedLevel: unprovedLevel ?? (isDevelopment ? 'QUALIFIED' : 'ADVANCED'),
    // Counted from the beginning of a certificate, which is earlier than its making by the slack.
    signingCoolingMs: hours === 0 ? 0 : hours * 3_600_000 + slackSeconds * 1000,
    enrolmentBlockMs: blockHours * 3_600_000,
  };
}
