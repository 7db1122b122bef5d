import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EidClient, sha256Base64 } from '../client/index.ts';
import { permissions } from '../domain/relyingParty/events.ts';
import type { Config } from '../infrastructure/config/config.ts';
import { createService, type Service } from '../main.ts';
import { type ScriptedPhone, startScriptedPhones } from '../phone/scripted.ts';
import { citizenWithLostPhones, demoCitizens } from './demo.ts';
import { assistantHint } from './demoAssistant.ts';
import { buildDemoBank, demoBankPath } from './demoBank.ts';
import {
  type DemoOperator,
  type DemoOperators,
  showFourEyes,
  signInDemoOperators,
} from './demoOperators.ts';
import { showDocument } from './demoDocument.ts';
import { createDemoIssuer, type DemoIssuer, type DemoPlatform } from './demoPlatform.ts';
import {
  type DemoPerson,
  type DemoRepresentation,
  enrolDemoCitizens,
  prepareDemoOrganization,
} from './demoPeople.ts';
import {
  type DemoPassport,
  demoPassportHolder,
  demoPassportOf,
  showPassport,
} from './demoPassport.ts';
import { type DemoOidcClient, exampleRequest, prepareOidcClient } from './demoOidc.ts';
import { commandConfig } from './openService.ts';
import { runUntilSignal } from './runUntilSignal.ts';
import { verifySeal } from './verifySeal.ts';

/** Content of `.tamga/demo.json`, for client programs. Secrets of the demo only. */
export interface DemoFile {
  readonly rpApiBase: string;
  readonly baseUrl: string;
  readonly verifyBase: string;
  readonly relyingParty: {
    readonly uuid: string;
    readonly name: string;
    readonly apiSecret: string;
    readonly callbackHosts: readonly string[];
  };
  readonly citizens: readonly DemoPerson[];
  readonly organization: DemoRepresentation;
  /** Access to documents, directory and assistant. */
  readonly platform: DemoPlatform;
  /** OpenID Connect client. */
  readonly openIdConnect: DemoOidcClient;
  /** Passport for an identity verification; null where other country authorities are configured. */
  readonly passport: DemoPassport | null;
  /** Operator who requests approvals. */
  readonly operator: DemoOperator;
  /** Operator who approves. */
  readonly approver: DemoOperator;
  /** Paths of PEM files. */
  readonly trust: { readonly anchorsPem: string; readonly intermediatesPem: string };
}

const registryCsv = 'infrastructure/registry/demo/civil-registry.csv';
const organizationsCsv = 'infrastructure/registry/demo/organization-registry.csv';
const relyingPartyName = 'Tamga Demo';
const callbackHosts = ['localhost', '127.0.0.1', 'rp.example.mn'];

/**
 * Starts everything, prepares the demo, shows logins, signatures, a seal, a document and four eyes,
 * serves until a signal.
 */
export async function up(): Promise<void> {
  const issuer = createDemoIssuer(process.env);
  const passport = await demoPassportOf(commandConfig());
  const config = commandConfig({
    ...(passport && { SVC_KYC_PASSPORT_CSCA: passport.authority }),
    SVC_SOLE_PROCESS: 'true',
    SVC_ROLES: process.env['SVC_ROLES'] ?? 'api,projector,worker,console',
    SVC_LOG_LEVEL: process.env['SVC_LOG_LEVEL'] ?? 'warn',
    SVC_ADMIN_REQUIRE_4EYES: process.env['SVC_ADMIN_REQUIRE_4EYES'] ?? 'true',
    SVC_PUSH_TEST_CITIZENS: demoCitizens.map(({ civilId }) => civilId).join(','),
    ...operatorTokens(process.env),
    ...issuer.settings,
  });
  if (config.SVC_PROFILE !== 'development') {
    throw new Error('`up` is the demo; run a service configured for others with `./tamga serve`.');
  }
  const bank = await buildDemoBank();
  const service = createService(config, { mounts: [bank.mount] });
  step('Starting PostgreSQL, certificate authorities and the API');
  await runUntilSignal(service, async (shutdown) => {
    const demo = await prepare(service, config, { issuer, passport });
    const phones = startScriptedPhones(demo.phones);
    shutdown.defer(() => phones.stop());
    shutdown.defer(() => step('Stopping'));
    bank.open(service.origin, Object.fromEntries(variablesOf(demo.file)));
    await showAll(service, demo, {
      passport,
      signedPath: join(config.SVC_DATA_DIR, 'lease-signed.pdf'),
    });
    say(`\nServing on ${service.origin} — everything a client needs is in ${demo.path}`);
    say(`  console    ${service.consoleOrigin ?? 'not in SVC_ROLES'}`);
    say(`  Demo Bank  ${service.origin}${demoBankPath}`);
    say(`  phone      ${service.origin}/phone`);
    say(`  health     ${service.origin}/readyz`);
    say(`  discovery  ${service.origin}/.well-known/eid`);
    say(`  metrics    ${service.origin}/metrics`);
    say(`  assistant  ${assistantHint(config, service.origin)}`);
    printOidcSettings(demo.file.openIdConnect);
    say('  next       the tour in README.md; stop with Ctrl-C');
  });
}

/** Shows everything whose people were not forgotten. */
async function showAll(
  service: Service,
  { file, operators }: Demo,
  { passport, signedPath }: { readonly passport: DemoPassport | null; readonly signedPath: string },
): Promise<void> {
  const telling = { step, say };
  const client = await clientOf(file);
  const agreeing = file.citizens.filter(({ outcome }) => outcome === 'OK');
  const [citizen] = agreeing;
  if (citizen !== undefined) {
    await show(client, file, citizen);
    await showDocument({ platform: file.platform, signers: agreeing, path: signedPath, telling });
  }
  if (passport !== null && !(await service.isForgotten(demoPassportHolder.civilId))) {
    await showPassport(service.origin, passport, telling);
  }
  if (!(await service.isForgotten(citizenWithLostPhones.civilId))) {
    await showFourEyes(service, client, { operators, telling });
  }
}

/** Prints the settings of an OpenID Connect client, and a login to try in a browser. */
function printOidcSettings(client: DemoOidcClient): void {
  const { url, verifier } = exampleRequest(client);
  say(
    `  log in     as 110000000001, who confirms by itself; issuer ${client.issuer}, OpenID Connect; redirect to ${client.redirectUris.join(' or ')}`,
  );
  say(`             client_id ${client.clientId}`);
  say(`             client_secret ${client.clientSecret}`);
  say(`             for example ${url}`);
  say(
    '             Nobody listens there: the browser ends at an address with code=…, good for a minute:',
  );
  say(
    `             curl -u ${client.clientId}:${client.clientSecret} -d grant_type=authorization_code -d code=… ` +
      `-d code_verifier=${verifier} -d redirect_uri=${client.redirectUris[0] ?? ''} ${client.issuer}/oidc/token`,
  );
  say(`             what citizens agreed to: ${client.issuer}/login/consents`);
}

/** Token secret of this run, unless configured: operators' access tokens end with the demo. */
function operatorTokens({
  SVC_ADMIN_TOKEN_SECRET: secret,
  SVC_ADMIN_TOKEN_SECRET_FILE: file,
}: NodeJS.ProcessEnv) {
  if ((secret ?? file ?? '') !== '') return {};
  return { SVC_ADMIN_TOKEN_SECRET: randomBytes(32).toString('base64url') };
}

interface Demo {
  readonly path: string;
  readonly file: DemoFile;
  readonly phones: readonly ScriptedPhone[];
  readonly operators: DemoOperators;
}

async function prepare(
  service: Service,
  config: Config,
  { issuer, passport }: { readonly issuer: DemoIssuer; readonly passport: DemoPassport | null },
): Promise<Demo> {
  const dataDir = config.SVC_DATA_DIR;
  const path = join(dataDir, 'demo.json');
  const known = await readDemo(path);
  await service.importCivilRegistry(registryCsv);
  await service.importOrganizationRegistry(organizationsCsv);
  const relyingParty = (await usableRelyingParty(service, known)) ?? (await register(service));
  step(`Enrolling the phones of ${demoCitizens.length} citizens`);
  const { citizens, phones } = await enrolDemoCitizens(service, dataDir);
  const trust = await service.writeTrustFiles(join(dataDir, 'trust'));
  const organization = await prepareDemoOrganization(service, relyingParty.uuid, citizens);
  const operators = await signInDemoOperators(service);
  const file: DemoFile = {
    rpApiBase: service.origin,
    baseUrl: service.origin,
    verifyBase: config.SVC_VERIFY_BASE ?? service.origin,
    relyingParty,
    citizens,
    organization,
    platform: await issuer.issue(service.origin),
    openIdConnect: await prepareOidcClient(service, relyingParty.uuid, known?.openIdConnect),
    passport,
    operator: operators.operator.account,
    approver: operators.approver.account,
    trust,
  };
  await writeFile(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  await writeFile(join(dataDir, 'demo.env'), shellVariables(file), { mode: 0o600 });
  return { path, file, phones, operators };
}

/** Relying party of an earlier run, if the database still has it. */
async function usableRelyingParty(service: Service, known: DemoFile | null) {
  if (known === null) return null;
  const registered = await service.listRelyingParties();
  const isKnown = registered.some(
    ({ relyingPartyId, active, callbackHosts: hosts }) =>
      active &&
      relyingPartyId === known.relyingParty.uuid &&
      callbackHosts.every((host) => hosts.includes(host)),
  );
  return isKnown ? known.relyingParty : null;
}

async function register(service: Service): Promise<DemoFile['relyingParty']> {
  step('Registering the demo relying party');
  const { relyingPartyId, apiSecret } = await service.registerRelyingParty({
    name: relyingPartyName,
    callbackHosts,
    ipAllowlist: [],
    clientCertificates: [],
    permissions: [...permissions],
    firstParty: false,
    requestsPerMinute: null,
    smartIdStatuses: false,
  });
  return { uuid: relyingPartyId, name: relyingPartyName, apiSecret, callbackHosts };
}

async function readDemo(path: string): Promise<DemoFile | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as DemoFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function shellVariables(demo: DemoFile): string {
  return variablesOf(demo)
    .map(([name, value]) => `export ${name}='${value}'\n`)
    .join('');
}

/** Environment variables of a relying party's program. */
function variablesOf(demo: DemoFile): readonly (readonly [name: string, value: string])[] {
  const {
    rpApiBase,
    verifyBase,
    relyingParty,
    citizens,
    trust,
    operator,
    approver,
    openIdConnect,
    platform,
    passport,
  } = demo;
  return [
    ['RP_API_BASE', rpApiBase],
    ['VERIFY_BASE', verifyBase],
    ['RP_UUID', relyingParty.uuid],
    ['RP_NAME', relyingParty.name],
    ['RP_SECRET', relyingParty.apiSecret],
    ['OIDC_ISSUER', openIdConnect.issuer],
    ['OIDC_CLIENT_ID', openIdConnect.clientId],
    ['OIDC_CLIENT_SECRET', openIdConnect.clientSecret],
    ['ACCESS_TOKEN', platform.accessToken],
    ...(passport === null ? [] : [['PASSPORT', passport.step] as const]),
    // Absolute, as the caller's program may run anywhere.
    ['TRUST_ANCHORS', resolve(trust.anchorsPem)],
    ['TRUST_INTERMEDIATES', resolve(trust.intermediatesPem)],
    ...[operator, approver].flatMap((account, index): [string, string][] => {
      const name = index === 0 ? 'OPERATOR' : 'APPROVER';
      return [
        [`${name}_EMAIL`, account.email],
        [`${name}_PASSWORD`, account.password],
        [`${name}_TOTP_SECRET`, account.totpSecret],
      ];
    }),
    ...citizens.map(({ civilId, etsi }): [string, string] => [
      demoCitizens.find((citizen) => citizen.civilId === civilId)?.variable ?? civilId,
      etsi,
    ]),
  ];
}

async function clientOf({ rpApiBase, relyingParty, trust }: DemoFile): Promise<EidClient> {
  return new EidClient({
    baseUrl: rpApiBase,
    credentials: {
      rpUUID: relyingParty.uuid,
      rpName: relyingParty.name,
      apiSecret: relyingParty.apiSecret,
    },
    trust: {
      trustAnchorsPem: [await readFile(trust.anchorsPem, 'utf8')],
      intermediatesPem: [await readFile(trust.intermediatesPem, 'utf8')],
    },
  });
}

/**
 * Shows an authentication, a signature, one on behalf of an organization and its seal, through the
 * public API, each verified.
 */
async function show(
  client: EidClient,
  { organization, trust }: DemoFile,
  citizen: DemoPerson,
): Promise<void> {
  step(`Authentication of ${citizen.name}`);
  const login = await client.auth.notificationByEtsi(citizen.etsi, [
    { type: 'displayTextAndPIN', displayText60: 'Log in to the Tamga demo' },
  ]);
  say(
    `  session ${login.sessionId}, verification code ${login.vc.value}; the phone confirms with PIN1`,
  );
  const loggedIn = await client.session.waitForResult(login.sessionId);
  const { subject, certificateLevel } = client.validator.validateAuth(loggedIn, login.rpChallenge);
  say(
    `  ${loggedIn.endResult ?? loggedIn.state}, verified: ${subject.commonName}, ${certificateLevel}`,
  );

  step(`Signature by ${citizen.name}`);
  const digest = sha256Base64('I agree.');
  const request = await client.sign.digestByEtsi(citizen.etsi, digest, [
    { type: 'displayTextAndPIN', displayText60: 'Sign: I agree.' },
  ]);
  say(
    `  session ${request.sessionId}, verification code ${request.vc.value}; the phone confirms with PIN2`,
  );
  const signed = await client.session.waitForResult(request.sessionId);
  const { signatureAlgorithm } = client.validator.validateSign(signed, digest);
  say(`  ${signed.endResult ?? signed.state}, verified: ${signatureAlgorithm}`);

  step(`Signature by ${citizen.name} on behalf of ${organization.name}`);
  const forOrganization = await client.sign.digestByEtsi(
    organization.admin,
    digest,
    [{ type: 'displayTextAndPIN', displayText60: 'Sign for the organization: I agree.' }],
    { onBehalfOf: organization.etsi },
  );
  const signedFor = await client.session.waitForResult(forOrganization.sessionId);
  client.validator.validateSign(signedFor, digest);
  const { onBehalfOf } = signedFor;
  say(
    `  ${signedFor.endResult ?? signedFor.state}, verified: ${onBehalfOf?.orgName ?? ''} (${onBehalfOf?.orgEtsi ?? ''}), as ${onBehalfOf?.rightType ?? ''}`,
  );

  step(`Seal of ${organization.name}`);
  await client.seal
    .certificate(organization.etsi)
    .catch(() => client.seal.issueCertificate(organization.etsi));
  const seal = await client.seal.digest(organization.etsi, digest);
  const anchors = await readFile(trust.anchorsPem, 'utf8');
  const intermediates = await readFile(trust.intermediatesPem, 'utf8');
  const [sealer = ''] = verifySeal('I agree.', seal, { anchors, intermediates })
    .split('\n')
    .reverse();
  say(`  verified: ${sealer}, ${seal.certificateLevel}, sealed at ${seal.sealedAt}`);
}

function step(text: string): void {
  say(`• ${text}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
