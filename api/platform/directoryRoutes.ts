import { z } from 'zod';
import { lookUpOrganization, lookUpPerson } from '../../application/directory/lookUp.ts';
import type { LookUpDependencies } from '../../application/directory/lookUp.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { PeopleViews } from '../../projections/peopleViews.ts';
import type { PersonTiesQuery } from '../../projections/personTies.ts';
import { suggestedSlug } from '../../domain/organization/suggestedSlug.ts';
import {
  organizationEtsi,
  parsePersonIdentifier,
  personEtsi,
  readRegister,
} from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { searchText } from '../admin/search.ts';
import { moment } from '../schemas/answers.ts';
import type { AddressLimit } from '../http/route.ts';
import { type Route, route } from '../http/route.ts';
import type { PlatformGuards } from './guard.ts';

export interface DirectoryApi extends LookUpDependencies {
  readonly guards: PlatformGuards;
  readonly people: Pick<PeopleViews, 'citizens'>;
  readonly ties: PersonTiesQuery;
  readonly clock: Clock;
  readonly limit: AddressLimit;
  /** Public origin, for discovery. */
  readonly base: string;
}

/** Most people in a response. */
const MAX_PEOPLE = 50;

const known = z.string().nullable();
const coreId = z.int().nullable().meta({ description: 'Number in the core registry' });

const byNumber = z.object({
  reg_no: z.string().trim().min(1).max(64).meta({ description: 'Registration number' }),
});

const personAnswer = z
  .strictObject({
    core_id: coreId,
    name: z.string(),
    email: known,
    phone: known,
    registration_number: z.string(),
  })
  .meta({ id: 'DirectoryPerson' });

const organizationAnswer = z
  .strictObject({
    core_id: coreId,
    name: z.string(),
    legal_name: z.string(),
    registration_number: z.string(),
    suggested_slug: z.string(),
    email: known,
    phone: known,
    address: known,
  })
  .meta({ id: 'DirectoryOrganisation' });

const peopleAnswer = z
  .strictObject({
    people: z.array(
      z.strictObject({
        user_id: z.string().meta({ description: 'ETSI identifier' }),
        name: z.string(),
        email: known,
        reg_number: z.string(),
        linked_at: moment.meta({ description: 'Time when the first phone was enrolled' }),
        last_seen_at: moment.nullable().meta({
          description: 'Time of the last completed session; null if there was none recently',
        }),
        organisations: z.array(
          z.strictObject({ registration_number: z.string(), name: known, role: known }),
        ),
      }),
    ),
    directory: z
      .boolean()
      .meta({ description: 'Whether persons and organisations can be looked up' }),
  })
  .meta({ id: 'DirectoryPeople' });

/** Directory: registry look-ups by registration number, and people verified here (contract §11). */
export function createDirectoryRoutes(api: DirectoryApi): readonly Route[] {
  const { guards, people, ties, clock, limit, base: listedUnder } = api;
  const root = '/api/platform/v1/directory';
  const common = {
    method: 'GET',
    discloses: true,
    listedUnder,
    limit,
    guard: guards.permitted('directory.read'),
  } as const;

  return [
    route({
      ...common,
      name: 'directory_person',
      path: `${root}/person`,
      summary: 'Get a person by registration number or civil id',
      query: byNumber,
      response: { 200: personAnswer },
      handle: async ({ query }) => {
        const identifier = parsePersonIdentifier(query.reg_no, '#/query/reg_no');
        const { person, civilId } = await lookUpPerson(api, identifier);
        const { name, email, phone, registrationNumber } = person;
        return {
          body: {
            core_id: person.coreId,
            name,
            email,
            phone,
            registration_number: registrationNumber.toUpperCase(),
          },
          ...(civilId !== null && { about: personEtsi(civilId) }),
        };
      },
    }),
    route({
      ...common,
      name: 'directory_organisation',
      path: `${root}/organisation`,
      summary: 'Get an organisation by registration number',
      query: byNumber,
      response: { 200: organizationAnswer },
      handle: async ({ query }) => {
        const register = readRegister(query.reg_no);
        if (register === null) throw notARegister();
        const found = await lookUpOrganization(api, register);
        const { name, legalName, email, phone, address } = found;
        return {
          body: {
            core_id: found.coreId,
            name,
            legal_name: legalName,
            registration_number: register,
            suggested_slug: suggestedSlug(name, register),
            email,
            phone,
            address,
          },
          about: organizationEtsi(register),
        };
      },
    }),
    route({
      ...common,
      name: 'directory_people',
      path: `${root}/people`,
      summary: 'List people with a verified identity, last enrolled first',
      query: z.object({ q: searchText }),
      response: { 200: peopleAnswer },
      handle: async ({ query }) => {
        const found = await people.citizens(query.q, { limit: MAX_PEOPLE, offset: 0 });
        const shown = found.items.filter(({ forgotten }) => !forgotten);
        const tied = await ties.tiesOf(
          shown.map(({ civilId }) => civilId),
          clock.now(),
        );
        const listed = shown.map((person) => ({
          user_id: person.etsi,
          name: `${person.lastName} ${person.firstName}`,
          email: null,
          reg_number: person.regNo.toUpperCase(),
          linked_at: person.enrolledAt,
          last_seen_at: tied.get(person.civilId)?.lastSeenAt ?? null,
          organisations: (tied.get(person.civilId)?.organizations ?? []).map(
            ({ register, name, role }) => ({ registration_number: register, name, role }),
          ),
        }));
        const [first, second] = shown;
        return {
          body: { people: listed, directory: api.directory !== null },
          ...(first !== undefined && second === undefined && { about: first.etsi }),
        };
      },
    }),
  ];
}

function notARegister(): Refusal {
  return new Refusal('INVALID_REQUEST', {
    errors: [
      {
        pointer: '#/query/reg_no',
        detail: 'Use a registration number of 3 to 20 letters and digits.',
      },
    ],
  });
}
