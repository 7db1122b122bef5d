import { z } from 'zod';
import { organizationSorts } from '../../projections/organizations.ts';
import type { Submit } from '../../application/approval/submitCommand.ts';
import {
  type AdministrationDependencies,
  createOrganization,
  editOrganization,
  grantRight,
  registerIn,
  removeRepresentative,
} from '../../application/organization/administration.ts';
import type { OrganizationData } from '../../application/ports/referenceData.ts';
import { organizationStatuses } from '../../domain/organization/events.ts';
import type { OrganizationChanges } from '../../domain/organization/organization.ts';
import { organizationSettings } from '../../domain/organization/settings.ts';
import { rightSources, rightTypes } from '../../domain/representation/events.ts';
import { parsePersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { OrganizationFilter } from '../../projections/organizations.ts';
import { type Route, route } from '../http/route.ts';
import { approvalView, pendingReply } from './approvalRoutes.ts';
import { asOfQuery, momentOf } from './asOf.ts';
import { byOperator, type OperatorGuards } from './guard.ts';
import {
  listedOrganization,
  organizationListed,
  organizationView,
  type OrganizationViewSources,
  readOrganization,
  sealCertificateView,
} from './organizationViews.ts';
import {
  type ListingWithSnapshot,
  longListOf,
  pageQuery,
  snapshotAnswer,
  sortQuery,
} from './paging.ts';
import { comment, commentBody, submitFor } from './submitting.ts';
import { visibleText } from '../../domain/shared/requestFields.ts';
import { optionalRequests } from '../../domain/shared/settings.ts';

export interface OrganizationAdminApi extends AdministrationDependencies, OrganizationViewSources {
  readonly referenceData: AdministrationDependencies['referenceData'];
  organizationPage(filter: OrganizationFilter): Promise<ListingWithSnapshot<OrganizationData>>;
  readonly submit: Submit;
}

const root = '/v3/admin/organizations';
const one = `${root}/:etsi`;
const byEtsi = { etsi: z.string().transform(registerIn) };
const organization = z.object(byEtsi);

const optionalText = (atMost: number) => visibleText(atMost).nullable().default(null);
const right = {
  personEtsi: z.string().max(64),
  role: optionalText(120),
  source: z.enum(rightSources).default('MANUAL'),
  evidenceRef: optionalText(500),
  validTo: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text).toISOString())
    .nullable()
    .default(null),
};
const representativeBody = z.strictObject({ ...right, rightType: z.enum(rightTypes) });
const { name, ...others } = organizationSettings;
const registration = z.strictObject({
  orgRegister: z.string().max(40),
  name: name.request,
  ...optionalRequests(others),
  activate: z.boolean().default(false),
  firstAdmin: z.strictObject(right).nullable().default(null),
});
const edit = z
  .strictObject({
    name: name.request,
    status: z.enum(organizationStatuses),
  })
  .partial()
  .extend({ comment })
  .refine(({ name, status }) => name === undefined || status !== 'REVOKED', {
    path: ['name'],
    error: 'The name of a revoked organization cannot be changed.',
  });
const listQuery = z.object({
  ...pageQuery,
  q: z.string().max(200).default(''),
  status: z.enum(organizationStatuses).optional(),
  ...sortQuery(organizationSorts),
});

/** Organizations, their representatives and seal certificates (specification, Operator API). */
export function organizationRoutes(
  guards: OperatorGuards,
  api: OrganizationAdminApi,
): readonly Route[] {
  const reads = {
    guard: guards.withCapability('org:read'),
  } as const;
  const writes = {
    guard: guards.withCapability('org:write'),
  } as const;
  const shown = { 200: organizationView };

  return [
    route({
      ...reads,
      name: 'admin.organizations.list',
      summary: 'List organizations, newest first',
      method: 'GET',
      path: root,
      query: listQuery,
      response: { 200: longListOf(organizationListed) },
      handle: async ({ query: { q: query, status = null, ...part } }) => {
        const page = await api.organizationPage({ query, status, ...part });
        const items = page.items.map(listedOrganization);
        return snapshotAnswer({ ...page, items }, part);
      },
    }),
    route({
      ...reads,
      name: 'admin.organizations.show',
      summary: 'Get an organization with its representatives, now or at an earlier time',
      method: 'GET',
      path: one,
      params: organization,
      query: z.object(asOfQuery),
      response: shown,
      // Its representatives are persons.
      discloses: true,
      handle: async ({ params: { etsi: register }, query }) => ({
        body: await readOrganization(api, register, momentOf(query, api.clock)),
      }),
    }),
    route({
      ...writes,
      name: 'admin.organizations.register',
      summary: 'Register an organization, optionally with its first administrator',
      method: 'POST',
      path: root,
      body: registration,
      response: { 201: organizationView },
      handle: async ({ principal, body, context }) => {
        const { orgRegister, firstAdmin, ...settings } = body;
        const register = await createOrganization(
          api,
          { register: orgRegister, ...settings },
          firstAdmin && representative({ ...firstAdmin, rightType: 'ADMIN' }, '/firstAdmin'),
          byOperator(context, principal, orgRegister),
        );
        return { status: 201, body: await readOrganization(api, register) };
      },
    }),
    route({
      ...writes,
      name: 'admin.organizations.edit',
      summary: "Change an organization's name and status; omitted fields stay as they are",
      method: 'PATCH',
      path: one,
      params: organization,
      body: edit,
      response: { ...shown, 202: approvalView },
      handle: async (request) => {
        const { principal, params, body, context } = request;
        const { etsi: register } = params;
        const { name, status } = body;
        if (status === 'REVOKED') {
          const command = { operation: 'organization.revoke', register } as const;
          const submitted = await submitFor(api.submit, request, command);
          if (submitted.kind === 'PENDING') return pendingReply(submitted.approval);
          return { body: await readOrganization(api, register) };
        }
        const changes: OrganizationChanges = {
          ...(name === undefined ? {} : { name }),
          ...(status === undefined ? {} : { status }),
        };
        await editOrganization(api, register, changes, byOperator(context, principal, register));
        return { body: await readOrganization(api, register) };
      },
    }),
    route({
      ...writes,
      name: 'admin.representatives.add',
      summary: 'Grant an enrolled person the right to represent an organization',
      method: 'POST',
      path: `${one}/representatives`,
      params: organization,
      body: representativeBody,
      response: { 201: organizationView },
      handle: async ({ principal, params: { etsi: register }, body, context }) => {
        const { person, wish } = representative(body, '');
        const by = byOperator(context, principal, register);
        await grantRight(api, { register, person }, wish, by);
        return { status: 201, body: await readOrganization(api, register) };
      },
    }),
    route({
      ...writes,
      name: 'admin.representatives.remove',
      summary: "Withdraw the right of a representative; the id is the person's PNOMN identifier",
      method: 'DELETE',
      path: `${one}/representatives/:id`,
      params: z.object({ ...byEtsi, id: z.string() }),
      response: shown,
      handle: async ({ principal, params: { etsi: register, id }, context }) => {
        const by = byOperator(context, principal, register);
        await removeRepresentative(api, { register, person: personIn(id) }, by);
        return { body: await readOrganization(api, register) };
      },
    }),
    route({
      ...writes,
      name: 'admin.organizations.issueSealCertificate',
      summary: "Create an organization's seal key and issue its certificate",
      method: 'POST',
      path: `${one}/seal-certificate`,
      params: organization,
      body: commentBody,
      response: { 200: sealCertificateView, 202: approvalView },
      handle: async (request) => {
        const { etsi: register } = request.params;
        const command = { operation: 'organization.issueSealCertificate', register } as const;
        const submitted = await submitFor(api.submit, request, command);
        if (submitted.kind === 'PENDING') return pendingReply(submitted.approval);
        const { sealCertificate } = await readOrganization(api, register);
        return { body: sealCertificate ?? {} };
      },
    }),
  ];
}

function representative(
  { personEtsi, ...wish }: z.output<typeof representativeBody>,
  pointer: string,
) {
  return { person: parsePersonIdentifier(personEtsi, `${pointer}/personEtsi`), wish };
}

/** Parses a person identifier; anything else is not found. */
function personIn(id: string) {
  try {
    return parsePersonIdentifier(id, '#/path/id');
  } catch (cause) {
    throw new Refusal('REPRESENTATIVE_NOT_FOUND', { cause });
  }
}
