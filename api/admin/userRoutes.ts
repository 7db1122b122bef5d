import { z } from 'zod';
import { enrolmentSorts } from '../../projections/people.ts';
import type { AuditEntry, AuditTrail } from '../../application/audit/ports/auditTrail.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { CitizenView, PeopleViews } from '../../projections/peopleViews.ts';
import { parsePersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { Names } from '../../projections/names.ts';
import { viewBy } from '../http/handling.ts';
import { type Route, route } from '../http/route.ts';
import type { OperatorGuards } from './guard.ts';
import { aboutOne, named, withNames } from './names.ts';
import { longListOf, pageQuery, snapshotAnswer, snapshotListOf, sortQuery } from './paging.ts';
import {
  auditEntrySchema,
  certificateSchema,
  citizenDetailsSchema,
  citizenSchema,
} from './peopleSchemas.ts';
import { searchText } from './search.ts';

export interface UserApi {
  readonly guards: OperatorGuards;
  readonly people: PeopleViews;
  readonly auditTrail: Pick<AuditTrail, 'auditEntries'>;
  readonly clock: Clock;
  readonly names: Names;
}

/** Number of audit entries shown with a citizen, the newest first. */
const AUDIT_ENTRIES = 100;

const params = z.object({ etsi: z.string() });

/** Citizens with identity, certificates, devices and history. */
export function userRoutes({
  guards,
  people,
  auditTrail,
  clock,
  names,
}: UserApi): readonly Route[] {
  const common = {
    method: 'GET',
    guard: guards.withCapability('user:read'),
  } as const;

  async function citizen({ etsi }: z.output<typeof params>): Promise<CitizenView> {
    const found = await people.citizen(parsePersonIdentifier(etsi, '#/path/etsi'));
    if (found === null) throw new Refusal('PERSON_NOT_FOUND');
    return found;
  }

  return [
    route({
      ...common,
      name: 'admin.user.list',
      summary: 'Search citizens by identifier, registration number, name or document number',
      path: '/v3/admin/users',
      query: z.object({ ...pageQuery, ...sortQuery(enrolmentSorts), q: searchText }),
      response: { 200: longListOf(citizenSchema) },
      handle: async ({ query }) => {
        const found = await people.citizens(query.q, query);
        return {
          ...snapshotAnswer(found, query),
          ...aboutOne(found.items.map(({ etsi }) => etsi)),
        };
      },
    }),
    route({
      ...common,
      name: 'admin.user.read',
      summary: 'Get a citizen with devices, certificates and audit',
      path: '/v3/admin/users/:etsi',
      params,
      response: { 200: named(citizenDetailsSchema) },
      handle: async ({ params: address }) => {
        const found = await citizen(address);
        const [devices, certificates, audit] = await Promise.all([
          people.devicesOf(found.civilId),
          people.certificatesOf(found, clock.now()),
          auditTrail.auditEntries({ subject: found.etsi }, { limit: AUDIT_ENTRIES, offset: 0 }),
        ]);
        const body = { ...found, devices, certificates, audit: audit.items.map(auditView) };
        return { body: await withNames(names, body), about: found.etsi };
      },
    }),
    route({
      ...common,
      name: 'admin.user.certificates',
      summary: "List a citizen's certificates, including those that have ended",
      path: '/v3/admin/users/:etsi/certificates',
      guard: guards.withCapability('cert:read'),
      params,
      query: z.object(pageQuery),
      response: { 200: snapshotListOf(certificateSchema) },
      handle: async ({ params: address, query }) => {
        const { etsi } = await citizen(address);
        const { items, total, snapshot } = await people.certificates(
          { q: etsi, status: null },
          clock.now(),
          query,
        );
        return { ...snapshotAnswer({ items, total, snapshot }, query), about: etsi };
      },
    }),
  ];
}

const entryBy = viewBy(auditEntrySchema);

function auditView(entry: AuditEntry) {
  const { kind, id } = entry.actor;
  return entryBy(entry, { actor: { kind, id }, at: entry.at.toISOString() });
}
