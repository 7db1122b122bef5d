import { z } from 'zod';
import type {
  RelyingPartyReferenceData,
  RightData,
} from '../../application/ports/referenceData.ts';
import {
  linkOrganization,
  lookUpRights,
  type PendingLink,
  type PersonRights,
  type RepresentationsDependencies,
  unlinkOrganization,
} from '../../application/organization/representations.ts';
import {
  inviteSigner,
  listSigners,
  removeSigner,
  type SignerDependencies,
  type Signers,
} from '../../application/organization/signers.ts';
import {
  type RenameDependencies,
  renameOrganization,
} from '../../application/organization/renameOrganization.ts';
import { maxOrganizationName } from '../../domain/organization/settings.ts';
import { organizationEtsi, parsePersonIdentifier, personEtsi } from '../../domain/shared/etsi.ts';
import { visibleText } from '../../domain/shared/requestFields.ts';
import { commandContext } from '../http/handling.ts';
import type { RateLimit } from '../bounds/admission.ts';
import { type RequestContext, type Route, route, rpApi } from '../http/route.ts';
import { nonEmptyText, optional, shownName } from './generations/common.ts';
import { relyingPartyGuard } from './guard.ts';
import {
  confirmationBody,
  confirmedRepresentationsAnswer,
  representationsAnswer,
  signersAnswer,
} from './organizationAnswers.ts';

export interface OrganizationApi
  extends
    RepresentationsDependencies,
    SignerDependencies,
    Pick<RenameDependencies, 'expectNamesFree'> {
  readonly referenceData: RepresentationsDependencies['referenceData'] &
    SignerDependencies['referenceData'] &
    RelyingPartyReferenceData;
  readonly rateLimit: RateLimit;
  /** Default rate limit of invitations, per minute and relying party; shared with sessions. */
  readonly requestsPerMinute: number;
  /** Changes of rights, per relying party. */
  readonly changeLimit: RateLimit;
  readonly changesPerMinute: number;
}

const role = shownName(120);
const linkBody = z.object({
  orgRegister: nonEmptyText(40),
  orgName: visibleText(maxOrganizationName),
  orgNameEn: shownName(maxOrganizationName),
  affiliates: z
    .array(
      z.object({
        regNo: nonEmptyText(40),
        role,
        kind: optional(z.enum(['CEO', 'FOUNDER', 'STAKEHOLDER'])),
      }),
    )
    .max(500),
});
const inviteBody = z.object({ signerRegNo: nonEmptyText(40), role });

const nameLatinBody = z.object({
  nameLatin: z.string(),
  sessionId: optional(z.uuid()).meta({
    description: 'The session in which the ADMIN confirmed, from the 202 response',
  }),
});

const signerQuery = z.object({ signer: z.string({ error: 'Name the signer.' }) });
const personParams = z.object({ personEtsi: z.string() });
const actingParams = z.object({ orgRegister: z.string(), actingPersonEtsi: z.string() });

const representations = '/v3/organization/representations/etsi/:personEtsi';
const signers = '/v3/organization/signers/:orgRegister/etsi/:actingPersonEtsi';

/** Representation of organizations (specification, Organization signers; contract §8). */
export function organizationRoutes(api: OrganizationApi): readonly Route[] {
  const { referenceData } = api;
  const mayLink = relyingPartyGuard(referenceData, 'ORG_LINK_WRITE');
  const contextOf =
    (context: RequestContext, { relyingPartyId }: { readonly relyingPartyId: string }) =>
    (correlationId: string) =>
      commandContext(context, { kind: 'relyingParty', id: relyingPartyId }, correlationId);

  return [
    route({
      name: 'organizationRepresentations',
      summary: 'List the organizations that a person may represent now',
      method: 'GET',
      path: representations,
      listedUnder: rpApi,
      guard: relyingPartyGuard(referenceData, null),
      params: personParams,
      response: { 200: representationsAnswer },
      handle: async ({ principal, params, context }) => {
        const person = parsePersonIdentifier(params.personEtsi, '#/path/personEtsi');
        const origin = contextOf(context, principal)(context.requestId);
        return { body: representationsBody(await lookUpRights(api, person, origin), params) };
      },
    }),
    route({
      name: 'organizationLink',
      summary: 'Link a person to an organization as its ADMIN, once a present ADMIN confirms',
      method: 'POST',
      path: representations,
      listedUnder: rpApi,
      guard: mayLink,
      params: personParams,
      body: linkBody,
      response: { 200: representationsAnswer },
      handle: async ({ principal, params, body, context }) => {
        await admit(api, principal);
        const { orgRegister, orgName: name, orgNameEn: nameLatin, affiliates } = body;
        const { pending, ...rights } = await linkOrganization(
          api,
          {
            relyingParty: principal,
            person: parsePersonIdentifier(params.personEtsi, '#/path/personEtsi'),
            link: { register: orgRegister, name, nameLatin, affiliates },
          },
          contextOf(context, principal),
        );
        return { body: { ...representationsBody(rights, params), ...pendingLink(pending) } };
      },
    }),
    route({
      name: 'organizationUnlink',
      summary: "End a person's link to an organization that this relying party made",
      method: 'DELETE',
      path: `${representations}/:orgRegister`,
      listedUnder: rpApi,
      guard: mayLink,
      params: personParams.extend({ orgRegister: z.string() }),
      response: { 200: representationsAnswer },
      handle: async ({ principal, params, context }) => {
        await admit(api, principal);
        const { personEtsi: person, orgRegister: register } = params;
        const origin = contextOf(context, principal)(register);
        const wish = { person, register, endedBy: principal.relyingPartyId };
        const rights = await unlinkOrganization(api, wish, origin);
        return { body: representationsBody(rights, params) };
      },
    }),
    route({
      name: 'organizationSigners',
      summary: 'List the signers of an organization',
      method: 'GET',
      path: signers,
      listedUnder: rpApi,
      guard: mayLink,
      params: actingParams,
      response: { 200: signersAnswer },
      handle: async ({ principal, params, context }) => {
        const wish = { ...acting(params), relyingParty: principal };
        const origin = contextOf(context, principal)(context.requestId);
        return { body: signersBody(await listSigners(api, wish, origin)) };
      },
    }),
    route({
      name: 'organizationSignerAdd',
      summary: 'Invite a person by push to sign for an organization',
      method: 'POST',
      path: signers,
      listedUnder: rpApi,
      guard: mayLink,
      params: actingParams,
      body: inviteBody,
      response: { 200: signersAnswer },
      handle: async ({ principal, params, body, context }) => {
        await admit(api, principal);
        await consume(api, principal);
        const wish = {
          ...acting(params),
          relyingParty: principal,
          role: body.role,
          isAgain: false,
          signer: parsePersonIdentifier(body.signerRegNo, '/signerRegNo'),
        };
        return { body: signersBody(await inviteSigner(api, wish, contextOf(context, principal))) };
      },
    }),
    route({
      name: 'organizationSignerRemove',
      summary: 'End the right of a signer you invited, or withdraw the invitation',
      method: 'DELETE',
      path: signers,
      listedUnder: rpApi,
      guard: mayLink,
      params: actingParams,
      query: signerQuery,
      response: { 200: signersAnswer },
      handle: async ({ principal, params, query, context }) => {
        await admit(api, principal);
        const signer = parsePersonIdentifier(query.signer, '#/query/signer');
        const origin = contextOf(context, principal)(params.orgRegister);
        const wish = { ...acting(params), signer, relyingParty: principal };
        return { body: signersBody(await removeSigner(api, wish, origin)) };
      },
    }),
    route({
      name: 'organizationSignerResend',
      summary: 'Ask a signer again who has not confirmed',
      method: 'POST',
      path: `${signers}/resend`,
      listedUnder: rpApi,
      guard: mayLink,
      params: actingParams,
      query: signerQuery,
      response: { 200: signersAnswer },
      handle: async ({ principal, params, query, context }) => {
        await admit(api, principal);
        await consume(api, principal);
        const wish = {
          ...acting(params),
          relyingParty: principal,
          role: null,
          isAgain: true,
          signer: parsePersonIdentifier(query.signer, '#/query/signer'),
        };
        return { body: signersBody(await inviteSigner(api, wish, contextOf(context, principal))) };
      },
    }),
    route({
      name: 'organizationNameLatin',
      summary: "Change an organization's Latin name, once an ADMIN confirms",
      method: 'PUT',
      path: '/v3/organization/name-latin/:orgRegister/etsi/:actingPersonEtsi',
      listedUnder: rpApi,
      guard: mayLink,
      params: actingParams,
      body: nameLatinBody,
      response: { 200: representationsAnswer, 202: confirmedRepresentationsAnswer },
      handle: async ({ principal, params, body, context }) => {
        await admit(api, principal);
        const { nameLatin, sessionId } = body;
        const wish = { ...acting(params), relyingParty: principal, nameLatin, sessionId };
        const { civilId, asked } = await renameOrganization(
          api,
          wish,
          contextOf(context, principal),
        );
        const origin = contextOf(context, principal)(params.orgRegister);
        const person = { type: 'civilId', civilId } as const;
        const shown = representationsBody(await lookUpRights(api, person, origin), {
          personEtsi: params.actingPersonEtsi,
        });
        return asked === null
          ? { body: shown }
          : { status: 202, body: { ...shown, ...confirmationBody(asked) } };
      },
    }),
  ];
}

function acting(params: z.output<typeof actingParams>) {
  return { register: params.orgRegister, actingPerson: params.actingPersonEtsi };
}

async function consume(
  { rateLimit, requestsPerMinute }: OrganizationApi,
  party: { readonly relyingPartyId: string; readonly requestsPerMinute: number | null },
): Promise<void> {
  await rateLimit.consume(party.relyingPartyId, party.requestsPerMinute ?? requestsPerMinute);
}

/** Counts a change of rights. @throws RateLimited */
async function admit(
  { changeLimit, changesPerMinute }: OrganizationApi,
  { relyingPartyId }: { readonly relyingPartyId: string },
): Promise<void> {
  await changeLimit.consume(relyingPartyId, changesPerMinute);
}

function pendingLink(pending: PendingLink | null): object {
  if (pending === null) return {};
  const { register, name, person, sessionId } = pending;
  return {
    pendingConfirmation: {
      orgRegister: register,
      orgName: name,
      signerEtsi: personEtsi(person.civilId),
      signerRegNo: person.identity.registrationNumber,
      sessionId,
    },
  };
}

/** @param asked identifier of the address, returned when nobody enrolled has it */
function representationsBody(
  { civilId, rights }: PersonRights,
  asked: { readonly personEtsi: string },
): object {
  return {
    personEtsi: civilId === null ? asked.personEtsi : personEtsi(civilId),
    representations: rights.map(representation),
  };
}

function representation({ organization, ...right }: RightData): object {
  const { register, name, nameLatin } = organization;
  return {
    orgEtsi: organizationEtsi(register),
    orgRegister: register,
    orgName: name,
    ...(nameLatin === null ? {} : { orgNameEn: nameLatin }),
    ...(right.role === null ? {} : { role: right.role }),
    rightType: right.rightType,
    source: right.source,
    validFrom: right.validFrom,
    validTo: right.validTo,
  };
}

function signersBody({ organization, acting: self, signers: list, asked }: Signers): object {
  const { register, name } = organization;
  const pending = list.find(({ right }) => right.civilId === asked?.civilId);
  return {
    orgRegister: register,
    signers: list.map(({ right, identity }) => ({
      personEtsi: personEtsi(right.civilId),
      regNo: identity.registrationNumber,
      name: `${identity.surname} ${identity.givenName}`,
      nameEn: `${identity.surnameLatin} ${identity.givenNameLatin}`,
      role: right.role,
      rightType: right.rightType,
      status: right.status,
      source: right.source,
      self: right.civilId === self,
    })),
    ...(asked === null || pending === undefined
      ? {}
      : {
          pendingConfirmation: {
            orgRegister: register,
            orgName: name,
            signerEtsi: personEtsi(asked.civilId),
            signerRegNo: pending.identity.registrationNumber,
            sessionId: asked.sessionId,
            adminSessionId: asked.adminSessionId,
          },
        }),
  };
}
