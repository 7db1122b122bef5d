import { randomBytes } from 'node:crypto';
import type { Route } from '../../../api/http/route.ts';
import { nestedSignatureBody } from '../http/nestedRequests.ts';
import { onePage } from '../pdf/samplePdf.ts';
import { type Caller, type CrossAccessWorld, registers } from './crossAccessWorld.ts';

/** A request to a route. */
export interface Ask {
  readonly params?: Readonly<Record<string, string>>;
  /** Query, with its question mark. */
  readonly query?: string;
  readonly json?: object;
  readonly bytes?: Buffer;
  readonly form?: true;
}

/** Things of somebody that a route opens: who may, who may not, and how it is asked. */
export interface Owned extends Ask {
  /** Let in: anything but the refusals. */
  readonly owners: readonly Caller[];
  readonly strangers: readonly (Caller & { readonly instead?: Ask })[];
  /** Refusals beside 401, 403 and 404, where the thing is named in the body. */
  readonly refusal?: 400;
}

/** Things of the world by the name of the route that opens them. */
export function thingsOf(world: CrossAccessWorld): Readonly<Record<string, Owned>> {
  const things = {
    ...ofRelyingParties(world),
    ...ofPhones(world),
    ...ofApplicants(world),
    ...ofTenants(world),
    ...ofOperators(world),
  };
  const names = world.demo.service.routes.map(({ name }) => name);
  return Object.fromEntries(Object.entries(things).filter(([name]) => names.includes(name)));
}

/** Sends what is asked of a route in the name of the caller. */
export async function send(origin: string, { method, path }: Route, caller: Caller, ask: Ask) {
  const anything = '00000000-0000-4000-8000-000000000000';
  const target = path.replaceAll(/[:*](\w+)/g, (_, name: string) =>
    encodeURIComponent(ask.params?.[name] ?? anything),
  );
  const isRead = method === 'GET' || method === 'DELETE';
  const json = isRead ? '' : JSON.stringify(ask.json ?? {});
  const body = isRead ? null : (form(ask) ?? ask.bytes ?? json);
  const sent = { method, target: target + (ask.query ?? ''), body: json };
  const response = await fetch(origin + sent.target, {
    method,
    headers: {
      ...(await caller.headers(sent)),
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    body: Buffer.isBuffer(body) ? new Uint8Array(body) : body,
  });
  return { status: response.status, text: await response.text() };
}

function form({ form: isForm }: Ask): FormData | null {
  if (isForm !== true) return null;
  const data = new FormData();
  data.append('file', new Blob(['replaced']), 'a.txt');
  return data;
}

function ofRelyingParties(world: CrossAccessWorld): Record<string, Owned> {
  const [first, second, third] = world.parties;
  const [phone, otherPhone] = world.phones;
  const [register, otherRegister] = registers;
  const strangers = [second, third];
  const mine = { owners: [first], strangers };
  const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Тийм үү?' }];
  const named = { relyingPartyUUID: first.id, relyingPartyName: first.name };
  const authentication = {
    ...named,
    interactions,
    signatureProtocol: 'ACSP_V2',
    rpChallenge: randomBytes(64).toString('base64'),
  };
  const signature = {
    ...named,
    interactions,
    signatureProtocol: 'ACSP_V2',
    digest: randomBytes(32).toString('base64'),
    hashType: 'SHA256',
  };
  const { documentNumber } = phone;
  /** Started in the name of the first relying party, whose UUID is in the body. */
  const starts = (prefix: string, json: object, places: readonly string[]) =>
    Object.fromEntries(
      places.map((place) => [
        `${prefix}${place}`,
        { ...mine, json, params: { id: phone.etsi, documentNumber } },
      ]),
    );
  const acting = { orgRegister: register, actingPersonEtsi: phone.etsi };
  /** Asked by the same relying party, for a person who is no ADMIN of the organization. */
  const byOther = (instead: Ask) => [{ ...first, instead }, third];
  const asOther = { params: { ...acting, actingPersonEtsi: otherPhone.etsi } };
  const signer = `?signer=${otherPhone.etsi}`;
  const seals = { ...mine, params: { orgEtsi: `NTRMN-${register}` } };
  const link = {
    orgRegister: otherRegister,
    orgName: 'Тамга ХХК',
    affiliates: [{ regNo: otherPhone.citizen.regNo, kind: 'CEO' }],
  };
  const pki = { owners: [first], strangers: [third], params: { etsi: phone.etsi } };
  return {
    ...starts('authentication', authentication, [
      ...['DeviceLinkAnonymous', 'DeviceLinkEtsi', 'DeviceLinkDocument'],
      ...['NotificationEtsi', 'NotificationDocument'],
    ]),
    ...starts('signature', signature, [
      ...['NotificationDocument', 'NotificationEtsi', 'DeviceLinkDocument', 'DeviceLinkEtsi'],
    ]),
    ...starts('certificateChoice', { ...named, nonce: 'once' }, [
      ...['DeviceLinkAnonymous', 'DeviceLinkEtsi', 'NotificationEtsi'],
    ]),
    ...starts('signature', named, ['Certificate']),
    signatureNotificationLinked: {
      ...mine,
      params: { documentNumber },
      json: nestedSignatureBody(first.id, {}, { ...named, linkedSessionID: world.chosen }),
      strangers: [
        ...strangers,
        {
          ...second,
          instead: {
            json: nestedSignatureBody(
              second.id,
              {},
              { relyingPartyName: second.name, linkedSessionID: world.chosen },
            ),
          },
        },
      ],
      // Refused like a session that is not there.
      refusal: 400,
    },
    session: { ...mine, params: { sessionId: world.signed } },
    sessionEvents: { ...mine, params: { sessionId: world.signed } },
    sessionCancel: { ...mine, params: { sessionId: world.signed } },
    signatureStamp: { ...mine, params: { sessionId: world.signed }, bytes: onePage() },
    signaturePrepare: {
      owners: [first],
      strangers: [third],
      query: `?signer=${phone.etsi}`,
      bytes: onePage(),
    },
    personSummary: pki,
    personCertificates: pki,
    personDevices: pki,
    organizationLink: {
      owners: [],
      strangers: [first, third],
      params: { personEtsi: phone.etsi },
      json: link,
    },
    organizationUnlink: {
      owners: [],
      strangers: [first, third],
      params: { personEtsi: phone.etsi, orgRegister: otherRegister },
    },
    organizationSigners: {
      owners: [first],
      strangers: [...byOther(asOther), second],
      params: acting,
    },
    organizationSignerAdd: {
      owners: [first],
      strangers: byOther(asOther),
      params: acting,
      json: { signerRegNo: otherPhone.citizen.regNo },
    },
    organizationSignerResend: {
      owners: [first],
      strangers: byOther(asOther),
      params: acting,
      query: signer,
    },
    organizationSignerRemove: {
      owners: [first],
      strangers: byOther(asOther),
      params: acting,
      query: signer,
    },
    organizationNameLatin: {
      owners: [first],
      strangers: byOther(asOther),
      params: acting,
      json: { nameLatin: 'TAMGA LLC' },
    },
    sealCertificateIssue: seals,
    seal: { ...seals, json: { digest: randomBytes(32).toString('base64') } },
    sealPdf: { ...seals, bytes: onePage() },
  };
}

function ofPhones(world: CrossAccessWorld): Record<string, Owned> {
  const [mine, other] = world.phones;
  const asked = { owners: [mine], strangers: [other], params: { sessionId: world.running } };
  return {
    device_session: asked,
    device_confirm: {
      ...asked,
      json: {
        verificationCode: '0000',
        signature: randomBytes(64).toString('base64'),
        interactionTypeUsed: 'displayTextAndPIN',
      },
    },
    device_pin_entry: asked,
    device_certificate: asked,
    device_refuse: { ...asked, json: { reason: 'USER_REFUSED' } },
    // No notice was given to either; older phones of the same citizen: silentEnrolment.test.ts.
    device_disown: { owners: [], strangers: [mine, other], json: { signature: 'AAAA' } },
    device_links: { owners: [mine], strangers: [other], json: { link: world.link() } },
  };
}

function ofApplicants(world: CrossAccessWorld): Record<string, Owned> {
  const [mine, other] = world.applicants;
  const { verificationId } = mine;
  const step = { owners: [mine], strangers: [other], params: { verificationId } };
  const { civilId: identifier } = world.phones[0].citizen;
  const bytes = randomBytes(64).toString('base64');
  const card = { identifier, cardNumber: 'E0', birthDate: '1990-01-01' };
  return {
    kyc_verification: step,
    kyc_step_citizen_card: { ...step, json: card },
    kyc_step_dan: { ...step, json: { state: 'a state', code: 'a code' } },
    kyc_step_gsign: { ...step, json: { cms: bytes } },
    kyc_step_passport: {
      ...step,
      json: { securityObject: bytes, dataGroups: { dg1: bytes } },
    },
    kyc_cancel: step,
  };
}

function ofTenants(world: CrossAccessWorld): Record<string, Owned> {
  const [mine, other] = world.organizations;
  if (mine === undefined || other === undefined) throw new Error('There are no organizations.');
  const strangers = [...world.citizens, other, ...world.operators];
  const document = { owners: [mine], strangers, params: { id: world.document } };
  const policy = {
    owners: [mine],
    strangers: world.citizens,
    params: { docType: 'CONTRACT' },
    json: { allow_eid: true, allow_dan: false, require_named_signer: false },
  };
  const things: Record<string, Owned> = {
    read: document,
    signatures: document,
    signingRails: document,
    'file.download': document,
    'file.upload': { ...document, form: true },
    'file.recognise': { ...document, form: true },
    'sign.eid.start': { ...document, json: { reg_number: world.phones[0].citizen.civilId } },
    'sign.eid.poll': { ...document, json: { session_id: world.running }, owners: [] },
    'policies.list': policy,
    'policies.change': policy,
    'policies.read': policy,
    'policies.changeOne': policy,
  };
  const directory = { owners: [mine], strangers: world.citizens };
  const rows = Object.entries(things);
  return {
    ...Object.fromEntries(rows.map(([name, thing]) => [`documents.${name}`, thing])),
    ...Object.fromEntries(rows.map(([name, thing]) => [`documents.${name}.v1`, thing])),
    directory_person: { ...directory, query: '?reg_no=УБ85031512' },
    directory_organisation: { ...directory, query: '?reg_no=5512345' },
    directory_people: { ...directory, query: '?q=' },
  };
}

/** The request for approval of a RP_OPERATOR. */
function ofOperators(world: CrossAccessWorld): Record<string, Owned> {
  const [superAdmin, requester, support, auditor] = world.operators;
  if (!superAdmin || !requester || !support || !auditor) throw new Error('Operators are missing.');
  const approval = { params: { id: world.approval } };
  return {
    'admin.approvals.approve': {
      ...approval,
      owners: [superAdmin],
      strangers: [requester, support, auditor],
    },
    'admin.approvals.reject': {
      ...approval,
      owners: [],
      strangers: [support, auditor],
      json: { reason: 'No.' },
    },
    'admin.approvals.collect': {
      ...approval,
      owners: [],
      strangers: [superAdmin, support, auditor],
    },
  };
}
