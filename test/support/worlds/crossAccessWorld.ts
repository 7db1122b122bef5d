import { randomBytes } from 'node:crypto';
import type { SecurityScheme } from '../../../api/http/route.ts';
import { demoCitizens } from '../../../main/cli/demo.ts';
import { EidClient, signedDeviceLink } from '../../../client/index.ts';
import type { OperatorRole } from '../../../domain/operator/capabilities.ts';
import type { Permission } from '../../../domain/relyingParty/settings.ts';
import { deviceProof } from '../../../apps/phone/crypto.ts';
import { startScriptedPhones } from '../../../apps/phone/scripted.ts';
import { given } from '../given/given.ts';
import { anOrganization, aParty } from '../given/wishes.ts';
import type { DemoHooks, DemoInstallation } from '../installation/demoInstallation.ts';
import { call } from '../../../main/drill/callers.ts';
import type { Settings } from '../installation/serviceProcess.ts';
import { createOidcBrowser } from '../oidc/oidcBrowser.ts';
import { beginLogin, discoverAs, logIn, redirectUri, registerClient } from '../oidc/oidcLogin.ts';
import { sha256 } from '../../../domain/shared/digest.ts';
import { onePage } from '../pdf/samplePdf.ts';
import { documentCaller, documentSettings } from './documentWorld.ts';
import type { SignedInOperator } from './operatorWorld.ts';

/** A request as its bytes are sent. */
export interface SentRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body: string;
}

/** Somebody with a credential. */
export interface Caller {
  readonly name: string;
  readonly scheme: SecurityScheme;
  headers(
    request: SentRequest,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
}

/** Roles that may each do something another may not. */
const roles: readonly OperatorRole[] = ['SUPER_ADMIN', 'RP_OPERATOR', 'SUPPORT', 'AUDITOR'];
/** The break-glass key of the world. */
export const adminKey = 'the key behind the glass';
const scope = 'openid documents.read documents.manage documents.sign directory.read';
export const registers = ['5512345', '7654321'] as const;

const bearer = (name: string, scheme: SecurityScheme, token: string): Caller => ({
  name,
  scheme,
  headers: () => ({ authorization: `Bearer ${token}` }),
});

/** Two citizens, three relying parties, two organizations and four operators, each with things of their own. */
export async function startCrossAccessWorld(settings: Settings = {}, hooks: DemoHooks = {}) {
  const common = {
    ...documentSettings,
    SVC_ADMIN_API_KEY: adminKey,
    SVC_ADMIN_REQUIRE_4EYES: 'true',
  };
  const demo = await given({ settings: { ...common, ...settings }, hooks });
  const { origin } = demo;
  await demo.service.importRegister(
    'organizations',
    'infrastructure/registry/demo/organization-registry.csv',
  );
  const phones = [await phoneOf(demo, 0), await phoneOf(demo, 1)] as const;
  const all: readonly Permission[] = ['AUTH', 'SIGN', 'SEAL', 'ORG_LINK_WRITE', 'PKI_READ'];
  const parties = [
    await relyingParty(demo, 'First party', all),
    await relyingParty(demo, 'Second party', all),
    await relyingParty(demo, 'Third party', ['AUTH']),
  ] as const;
  const [first] = parties;
  for (const at of [0, 1] as const) {
    const register = registers[at];
    const organization = anOrganization(register, `Байгууллага ${register}`);
    await demo.represented(organization, phones[at].citizen.civilId);
    await demo.allowSealing(register, parties[at].id);
  }
  const answering = startScriptedPhones(phones);
  const loggedIn = await Promise.all(phones.map((phone, at) => logins(demo, phone, registers[at])));
  const digest = sha256(onePage()).toString('base64');
  const signed = await session(first, 'signature', phones[0], {
    signatureProtocol: 'ACSP_V2',
    digest,
    hashType: 'SHA256',
  });
  const poll = { headers: first.headers(), timeoutMs: 60_000 };
  await call(`${origin}/v3/session/${signed}?timeoutMs=40000`, poll);
  await answering.stop();
  // At once: the first operators need nobody's approval.
  const signedIn = await Promise.all(roles.map((role) => demo.operators.signedIn(role)));
  const organizations = loggedIn.map(({ organization }) => organization);
  return {
    demo,
    phones,
    parties,
    citizens: loggedIn.map(({ citizen }) => citizen),
    organizations,
    operators: signedIn.map((operator) => ({
      ...bearer(`operator ${operator.role}`, 'operatorSession', operator.token),
      role: operator.role,
    })),
    applicants: [await applicant(origin, 'first'), await applicant(origin, 'second')] as const,
    browsers: [await browserAtLogin(demo), await browserAtLogin(demo)] as const,
    signed,
    running: await session(first, 'authentication', phones[0], {
      signatureProtocol: 'ACSP_V2',
      rpChallenge: randomBytes(64).toString('base64'),
    }),
    ...(await links(origin, first, phones[0])),
    document: await documentOf(origin, organizations[0]),
    approval: await pendingApproval(signedIn[1], parties[2].id),
    stop: () => demo.stop(),
  };
}

export type CrossAccessWorld = Awaited<ReturnType<typeof startCrossAccessWorld>>;

async function phoneOf(demo: DemoInstallation, index: number) {
  const enrolled = await demo.enrol(demoCitizens[index]?.civilId ?? '');
  const { store, documentNumber, citizen } = enrolled;
  const transport = (await store.load())?.transport;
  if (transport === undefined) throw new Error('The phone kept nothing.');
  return {
    name: `phone of citizen ${index + 1}`,
    scheme: 'deviceProof' as const,
    headers: async ({ method, target, body }: SentRequest) => ({
      dpop: await deviceProof(transport, documentNumber, {
        method,
        path: target,
        body,
        time: new Date(),
      }),
    }),
    ...enrolled,
    outcome: 'OK' as const,
    etsi: `PNOMN-${citizen.civilId}`,
  };
}

type CrossedPhone = Awaited<ReturnType<typeof phoneOf>>;

async function relyingParty(
  { service }: DemoInstallation,
  name: string,
  permissions: readonly Permission[],
) {
  const { relyingPartyId: id, apiSecret } = await service.registerRelyingParty(
    aParty(name, permissions, { callbackHosts: ['rp.example.mn'], requestsPerMinute: 1_000_000 }),
  );
  const headers = () => ({ authorization: `Bearer ${apiSecret}` });
  const { origin } = service;
  return { id, name, apiSecret, origin, scheme: 'apiSecret' as const, headers };
}

type CrossedParty = Awaited<ReturnType<typeof relyingParty>>;

/** Tokens of the citizen at a client of the organization: for themselves, and for the organization. */
async function logins(demo: DemoInstallation, { citizen, name }: CrossedPhone, register = '') {
  const client = await registerClient(demo, { organization: register });
  const configuration = await discoverAs(demo.service.origin, client);
  const token = async (parameters: Readonly<Record<string, string>>) => {
    const { tokens } = await logIn(configuration, { citizen: citizen.civilId, parameters });
    return tokens.access_token;
  };
  const forOrganization = { scope: `${scope} organization`, on_behalf_of: `NTRMN-${register}` };
  return {
    citizen: bearer(`citizen of the ${name}`, 'accessToken', await token({ scope })),
    organization: bearer(`organization ${register}`, 'accessToken', await token(forOrganization)),
  };
}

async function session(
  party: CrossedParty,
  kind: 'authentication' | 'signature',
  { etsi }: CrossedPhone,
  fields: object,
): Promise<string> {
  const answer = await call(`${party.origin}/v3/${kind}/notification/etsi/${etsi}`, {
    method: 'POST',
    headers: party.headers(),
    body: {
      relyingPartyUUID: party.id,
      relyingPartyName: party.name,
      interactions: [{ type: 'displayTextAndPIN', displayText60: 'Тийм үү?' }],
      ...fields,
    },
  });
  return created(answer, 'sessionID');
}

/** A device link of the citizen, unopened, and a certificate choice the citizen answered. */
async function links(origin: string, party: CrossedParty, { etsi, phone }: CrossedPhone) {
  const { sign: signature } = new EidClient({
    baseUrl: origin,
    credentials: { rpUUID: party.id, rpName: party.name, apiSecret: party.apiSecret },
    generation: 'G2',
  });
  const choice = await signature.certificateChoiceDeviceLink(etsi);
  const request = await phone.open(signedDeviceLink(choice, { type: 'QR' }));
  await phone.giveCertificate(request);
  const unopened = await signature.certificateChoiceDeviceLink(etsi);
  return { chosen: choice.sessionId, link: () => signedDeviceLink(unopened, { type: 'QR' }) };
}

/** Somebody who had an identity verification started. */
async function applicant(origin: string, name: string) {
  const url = `${origin}/v3/kyc/verifications`;
  const answer = await call(url, { method: 'POST', body: { method: 'citizenCard' } });
  const { verificationId } = answer.body['verification'] as { readonly verificationId: string };
  return {
    ...bearer(`${name} applicant`, 'verificationSecret', created(answer, 'secret')),
    verificationId,
  };
}

/** A browser that was sent to log in. */
async function browserAtLogin(demo: DemoInstallation) {
  const browser = createOidcBrowser();
  const client = await discoverAs(demo.service.origin, await registerClient(demo));
  const shown = await browser.open((await beginLogin(client)).url.href, redirectUri);
  return { browser, uid: new URL(shown.url).pathname.split('/').at(-1) ?? '' };
}

/** A document with a file. */
async function documentOf(origin: string, owner: Caller | undefined): Promise<string> {
  const headers = (await owner?.headers({ method: '', target: '', body: '' })) ?? {};
  const caller = documentCaller(origin, headers['authorization'] ?? '');
  const id = await caller.create();
  await caller.upload(id, onePage());
  return id;
}

/** An organization to seal for that the operator asked for. */
async function pendingApproval(operator: SignedInOperator | undefined, party: string) {
  const answer = await operator?.call('POST', `/relying-parties/${party}/seal-organizations`, {
    orgEtsi: `NTRMN-${registers[0]}`,
  });
  return created(answer, 'id');
}

function created(answer: Awaited<ReturnType<typeof call>> | undefined, field: string): string {
  const value = answer?.body[field];
  if (typeof value === 'string') return value;
  throw new Error(`${answer?.status ?? 0} ${JSON.stringify(answer?.body)}`);
}
