import { z } from 'zod';
import { assistantSettings } from './assistantSettings.ts';
import { brandSettings } from './brandSettings.ts';
import { connectionSettings } from './connectionSettings.ts';
import { consoleSettings } from './consoleSettings.ts';
import { oidcSettings } from './oidcSettings.ts';
import { directorySettings } from './directorySettings.ts';
import { eventLogSettings } from './eventLogSettings.ts';
import { identityVerificationSettings } from './identityVerificationSettings.ts';
import { archiveSettings } from './archiveSettings.ts';
import { backupSettings } from './backupSettings.ts';
import { documentSettings } from './documentSettings.ts';
import { loadSettings } from './loadSettings.ts';
import { operatorSettings } from './operatorSettings.ts';
import { platformSettings } from './platformSettings.ts';
import { pushSettings } from './pushSettings.ts';
import { telemetrySettings } from './telemetrySettings.ts';
import {
  addressBlock,
  httpUrl,
  listenHost,
  postgresUrl,
  redisUrl,
  secureEndpoint,
  url,
} from './addresses.ts';
import { count, flag, list, objectIdentifier, secret, setting } from './settings.ts';

// One schema over the environment. Every setting is declared once: type, meaning, whether it is secret.
// docs/configuration.md is generated from these declarations.

const everywhere = ['api', 'projector', 'worker'] as const;
const roles = [...everywhere, 'console'] as const;

const masterKey = z
  .base64()
  .refine((text) => Buffer.from(text, 'base64').length === 32, 'must be base64 of 32 bytes')
  .transform((text) => Buffer.from(text, 'base64'))
  .optional();

export type Role = (typeof roles)[number];

export const settings = {
  SVC_PROFILE: setting(
    z.enum(['development', 'staging', 'production']).default('production'),
    'The safety rules that apply. Only `development` generates missing secrets and starts its own PostgreSQL.',
  ),
  SVC_ROLES: setting(
    list.pipe(z.array(z.enum(roles)).min(1)).default([...everywhere]),
    'What this process does: `api` answers requests, `projector` builds read models, `worker` runs reactors and jobs, and `console` is the proxy for the browsers of operators. `console` alone needs no database.',
  ),
  SVC_SOLE_PROCESS: setting(
    flag.default(false),
    'Set it if this is the only process of the installation. Polls then use its memory instead of reading the log again. A second process is refused.',
  ),
  SVC_HOST: setting(
    listenHost.default({ kind: 'ipv4', name: '127.0.0.1' }),
    'Address to listen on. `::` means every address, including IPv4 ones.',
    '127.0.0.1',
  ),
  SVC_PORT: setting(count(0, 65535).default(8080), 'Port to listen on; 0 picks a free one.'),
  SVC_DATA_DIR: setting(
    z.string().default('.tamga'),
    'Directory where the development profile keeps its database, generated secrets and `demo.json`.',
  ),
  SVC_LOG_LEVEL: setting(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
    'Lowest severity of log lines. Requests are logged at `info`.',
  ),
  SVC_RP_API_BASE: setting(
    url.refine((base) => !base.endsWith('/v3'), 'must be without /v3, which is added').optional(),
    'Public origin of the relying-party API, without `/v3`.',
    'http://<host>:<port>',
  ),
  SVC_BASE_URL: setting(
    url.refine((base) => !base.endsWith('/v3'), 'must be without /v3, which is added').optional(),
    'Public origin of the platform API.',
    'SVC_RP_API_BASE',
  ),
  SVC_PKI_BASE: setting(
    httpUrl.optional(),
    'Public address of OCSP, CRLs and CA certificates, as written into certificates; http, as RFC 5280 requires.',
    'SVC_BASE_URL over http',
  ),
  SVC_PKI_POLICY_ARC: setting(
    objectIdentifier.optional(),
    "The operator's own policy arc in dotted form, as written into certificates.",
    'an example arc, development only',
  ),
  SVC_PKI_OPERATOR_NAME: setting(
    z.string().min(1).max(64).default('Tamga'),
    'The operator of the certificate authorities; part of their names.',
  ),
  SVC_PKI_OPERATOR_ETSI: setting(
    z
      .string()
      .regex(
        /^NTR[A-Z]{2}-.+$/,
        'must be NTR, a country code, - and an identifier, such as NTRMN-1234567',
      )
      .default('NTRMN-0000000'),
    "The operator's ETSI identifier.",
  ),
  SVC_CERTIFICATE_YEARS: setting(
    count(1, 10).default(3),
    "Validity of a citizen's certificate, in years.",
  ),
  SVC_VERIFY_BASE: setting(
    url.optional(),
    'Public origin of the verification pages.',
    'SVC_RP_API_BASE',
  ),
  SVC_DEVICE_LINK_BASE: setting(
    url.optional(),
    'Address that a device link or QR code opens; answers have it as `deviceLinkBase`.',
    '<SVC_RP_API_BASE>/device-link',
  ),
  SVC_APP_SCHEME: setting(
    z
      .string()
      .regex(/^[a-z][a-z0-9+.-]*$/, 'must be small letters, digits, +, . or -, a letter first')
      .default('tamga'),
    'Deep-link scheme of the phone app.',
  ),
  SVC_HELP_LINE: setting(
    z.string().min(1).max(60).optional(),
    "Telephone number or address that pages tell citizens to contact. If unset, pages name the operator's help desk without a number.",
    'unset',
  ),
  ...brandSettings,
  SVC_SCHEME_NAME: setting(
    z
      .string()
      .regex(/^[a-z0-9-]{1,32}$/, 'must be up to 32 small letters, digits or -')
      .default('smart-id'),
    'Scheme name at the beginning of the payload that phones sign for nested (second-generation) authentications. Configure clients with the same name.',
  ),
  SVC_RP_ROOT_ROUTES: setting(
    flag.default(false),
    'Also serve the relying-party routes without their `/v3` prefix.',
  ),
  SVC_SESSION_WINDOW: setting(
    count(1, 590).default(150),
    'Time a citizen has to answer, in seconds. A session always stays readable for 10 minutes.',
  ),
  SVC_RP_REQUESTS_PER_MINUTE: setting(
    count(1, 100_000_000).default(6000),
    'Requests that start a session, per relying party and minute, unless its registration says otherwise.',
  ),
  ...pushSettings,
  ...telemetrySettings,
  ...identityVerificationSettings,
  SVC_MAINTENANCE: setting(
    flag.default(false),
    'Start no new sessions: requests for one get 503 with Retry-After. Running sessions continue and polls are answered.',
  ),
  SVC_PDF_MAX_BYTES: setting(
    count(1024, 1_073_741_824).default(26_214_400),
    'Largest PDF that can be stamped or prepared, in bytes; discovery publishes it as `pdfSigning.maxInputBytes`.',
  ),
  SVC_PDF_THREADS: setting(
    count(1, 64).optional(),
    'Worker threads for PDF work.',
    'one for each processor',
  ),
  ...loadSettings,
  SVC_TRUSTED_PROXIES: setting(
    list.pipe(z.array(addressBlock)).default([]),
    'Addresses or CIDR blocks of proxies whose `X-Forwarded-For` and client-certificate header are trusted.',
  ),
  SVC_CLIENT_CERTIFICATE_HEADER: setting(
    z.string().toLowerCase().optional(),
    'Header in which a trusted proxy passes the client certificate (URL-encoded PEM).',
  ),
  SVC_TLS_CERT: setting(
    z.string().optional(),
    'Path of the TLS certificate chain (PEM). If set, the service uses HTTPS.',
  ),
  SVC_TLS_KEY: setting(z.string().optional(), 'Path of the TLS private key (PEM).'),
  SVC_TLS_CLIENT_CA: setting(
    z.string().optional(),
    'Path of the CA certificates (PEM) that client certificates must chain to.',
  ),
  SVC_DATABASE_URL: secret(
    postgresUrl.optional(),
    'PostgreSQL of the read models and, unless SVC_EVENTSTORE_URL is set, of the event log.',
    'development: an embedded server',
  ),
  SVC_DATABASE_POOL: setting(
    count(2, 500).optional(),
    'Largest number of database connections for requests, jobs and reactors. It also limits those of read models and of readers of the log; docs/operations.md (Connections) lists all.',
    'with api: 10, with worker: 8, otherwise 4',
  ),
  ...eventLogSettings,
  ...connectionSettings,
  SVC_CLOCK_SLACK: setting(
    count(0, 3600).default(300),
    'Time by which certificates and revocation lists are backdated, in seconds, so that readers whose clocks are behind accept them (docs/operations.md, Clocks).',
  ),
  SVC_MAX_STALENESS: setting(
    count(2, 3600).default(10),
    'Largest delay of read models behind the log, in seconds. Beyond it, revocations and rights are no longer answered from read models: they are read from the log, or the request is refused.',
  ),
  SVC_REDIS_URL: secret(
    redisUrl.optional(),
    'Redis server. If set, jobs run on BullMQ and processes share rate limits. Without it, each process counts for itself.',
    'jobs are kept in PostgreSQL',
  ),
  SVC_SW_MASTER_KEY: secret(
    masterKey,
    'Master key (base64 of 32 bytes) that encrypts software keys and wraps the keys of personal data.',
    'development: generated once',
  ),
  SVC_SW_MASTER_KEY_PREVIOUS: secret(
    masterKey,
    'The former master key, during a rotation (docs/rotation.md, Master key).',
  ),
  SVC_PKCS11_MODULE: setting(
    z.string().optional(),
    'Path of a PKCS#11 module. If set, platform keys are kept in its token instead of in software.',
  ),
  SVC_PKCS11_TOKEN: setting(z.string().optional(), 'Label of the token.'),
  SVC_PKCS11_PIN: secret(z.string().optional(), 'User PIN of the token.'),
  SVC_PKCS11_LOGIN_ANYWAY: setting(
    flag.default(false),
    'Log in although the token reports an earlier wrong PIN. Set it for one start, after you have corrected the PIN.',
  ),
  SVC_PKCS11_SESSIONS: setting(
    count(1, 64).default(4),
    'Number of token sessions used in parallel.',
  ),
  SVC_ROOT_KEY_ONLINE: setting(
    flag.default(false),
    "Allow the key of the Root CA in the token or database of the service. Without it, production neither creates a root nor starts with the root's key: create the root offline (docs/ceremony.md). Other profiles create and keep it.",
  ),
  SVC_HSMPROXY_ORG_KEY_LABEL: setting(
    z.string().min(1).max(64).optional(),
    'Label of the key of the Organization issuing CA. Set it before the first start. The second generation appends `-2`, and so on.',
    'ca-organization',
  ),
  SVC_HSMPROXY_ORG_ISSUING_CERT: setting(
    z.string().optional(),
    'Path of the certificate (PEM) that the Root CA issued for that key of the Organization issuing CA.',
    'issued at the first start',
  ),
  SVC_SEAL_QSCD: setting(
    flag.default(false),
    'Create the seal keys of organizations in the PKCS#11 token, with certificates of level QSCD. Otherwise they are software keys, with level QUALIFIED.',
  ),
  SVC_SEAL_KEY_PREFIX: setting(
    z.string().max(40).default('eseal-'),
    "Prefix of the labels of organizations' seal keys; the registration number follows.",
  ),
  ...operatorSettings,
  ...consoleSettings,
  ...assistantSettings,
  ...platformSettings,
  ...directorySettings,
  ...oidcSettings,
  ...documentSettings,
  ...archiveSettings,
  ...backupSettings,
  SVC_CRL_HOURS: setting(
    count(1, 240).default(24),
    'Time to the next update in revocation lists, in hours. New lists are published after a quarter of it.',
  ),
  SVC_TSA_URL: setting(
    list.pipe(z.array(secureEndpoint).min(1)).optional(),
    'Time-stamping authorities (RFC 3161), comma-separated, the preferred one first; https, or http on this machine.',
    'the built-in authority, also served at `/tsa`',
  ),
  SVC_TSA_CA: setting(
    z.string().optional(),
    'Path of the certificates (PEM) that their time-stamps must chain to.',
  ),
  SVC_TSA_POLICY: setting(
    objectIdentifier.optional(),
    'Policy to request from them, in dotted form.',
  ),
  SVC_TSA_TIMEOUT: setting(
    count(1, 60).default(3),
    'Timeout of one time-stamping authority before the next one is asked, in seconds.',
  ),
  SVC_TSA_NTP: setting(
    z.string().min(1).max(255).optional(),
    'Time server (NTP), host or host:port, for the built-in time-stamping authority. The authority issues nothing while its clock differs by more than the second its time-stamps state, or after ten minutes without an answer.',
    "the database server's clock alone",
  ),
  SVC_TSA_REQUESTS_PER_MINUTE: setting(
    count(1, 100_000_000).default(600),
    'Requests per minute that one address may send to the built-in time-stamping authority.',
  ),
  SVC_PUSH_GATEWAY_URL: setting(
    url.optional(),
    'Gateway that forwards pushes to phones. Without it, phones poll their inbox.',
  ),
  SVC_PUSH_GATEWAY_TOKEN: secret(z.string().optional(), 'Bearer token for the push gateway.'),
} as const;

type Settings = typeof settings;

/** The parsed environment, frozen. */
export type Config = { readonly [Name in keyof Settings]: z.output<Settings[Name]['schema']> };
