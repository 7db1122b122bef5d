import { type Kysely, sql } from 'kysely';
import type { Operators } from '../domain/operator/operators.ts';
import { organizationEtsi, personEtsi, readPersonIdentifier } from '../domain/shared/etsi.ts';
import type { Database } from './database.ts';
import { searchPattern, searchText, tellingGrams } from './engine/search.ts';
import type { CitizenView, PeopleViews } from './peopleViews.ts';

export const namedKinds = [
  'operator',
  'citizen',
  'organization',
  'relyingParty',
  'oidcClient',
  'device',
  'certificate',
  'session',
  'identityVerification',
  'document',
  'approval',
  'article',
] as const;

/** Name of the thing an id stands for. */
export interface Named {
  readonly kind: (typeof namedKinds)[number];
  /**
   * E-mail of an operator; owner of a device, holder of a certificate, relying party of a session, what an approval is
   * about; null: none is known.
   */
  readonly name: string | null;
  /** Type of a certificate, kind of a session, platform of a device, method of a verification, operation of an approval. */
  readonly type: string | null;
}

/** A thing found by its name. */
export interface Found extends Named {
  readonly id: string;
}

interface Row {
  readonly kind: Named['kind'];
  readonly id: string;
  readonly name: string | null;
  readonly civil_id: string | null;
  readonly type: string | null;
}

/** Registrations asked for that are searched, the newest first, and clients found at most. */
const ASKED_FOR = 2000;

/** Citizens whose names are compared with one that must be exact. */
const COMPARED = 200;

/** Registrations that were asked for and not carried out. */
const isAskedFor = sql`operation in ('relyingParty.register', 'oidcClient.register') and status <> 'EXECUTED'`;
/** Name in the first effect of such a request (application/approval). */
const askedName = sql`regexp_replace(effects->0->>'target', '^(relying party|OpenID Connect client) ', '')`;

const PERSON = /^PNOMN-(\d+)$/;
const ORGANIZATION = /^NTRMN-(.+)$/;

export interface NamesDependencies {
  readonly database: Kysely<Database>;
  readonly people: Pick<PeopleViews, 'citizens'> & {
    citizenViews(civilIds: readonly string[]): Promise<readonly CitizenView[]>;
  };
  readonly operators: { current(): Promise<Operators> };
}

/** Names of operators, citizens and things by their public ids, and the reverse; two queries however many ids, as many again for what approvals are about. */
export function createNames({ database, people, operators }: NamesDependencies) {
  async function rowsOf(ids: readonly string[]): Promise<readonly Row[]> {
    const all = sql`any(${ids}::text[])`;
    const registers = ids.flatMap((id) => ORGANIZATION.exec(id)?.[1] ?? []);
    const { rows } = await sql<Row>`
      select 'relyingParty' as kind, relying_party_id as id, name, null as civil_id, null as type
        from relying_party_view where relying_party_id = ${all}
      union all select 'oidcClient', client_id, name, null, null from oidc_client_view where client_id = ${all}
      union all select 'organization', ${organizationEtsi('')} || register, name, null, null
        from organization_view where register = any(${registers}::text[])
      union all select 'device', document_number, null, civil_id, platform
        from device_view where document_number = ${all}
      union all select 'certificate', c.serial, o.name, c.civil_id, c.type
        from certificate_view c left join organization_view o on o.register = c.register where c.serial = ${all}
      union all select 'session', s.session_id, r.name, null, s.kind
        from session_view s left join relying_party_view r on r.relying_party_id = s.relying_party_id
        where s.session_id = ${all}
      union all select 'identityVerification', verification_id, null, civil_id, method
        from identity_verification_view where verification_id = ${all}
      union all select 'document', document_id, null, null, null from document_view where document_id = ${all}
      union all select 'approval', approval_id, subject, null, operation from approval_view where approval_id = ${all}
      union all select 'article', article_id, title, null, null from knowledge_article_view where article_id = ${all}
      union all select case operation when 'relyingParty.register' then 'relyingParty' else 'oidcClient' end, subject,
        ${askedName}, null, null from approval_view where subject = ${all} and ${isAskedFor}
    `.execute(database);
    const persons = ids.flatMap((id) => PERSON.exec(id)?.[1] ?? []);
    return [...rows, ...persons.map((civilId) => personRow(civilId))];
  }

  /** Names of citizens who are not forgotten, by civil id. */
  async function namesOf(civilIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (civilIds.length === 0) return new Map();
    const known = (await people.citizenViews([...new Set(civilIds)])).filter(
      ({ forgotten }) => !forgotten,
    );
    return new Map(known.map((each) => [each.civilId, `${each.lastName} ${each.firstName}`]));
  }

  /** Names of these ids; an id that stands for nothing known has none. */
  async function of(ids: readonly string[]): Promise<ReadonlyMap<string, Named>> {
    const names = new Map<string, Named>();
    if (ids.length === 0) return names;
    const [rows, present] = await Promise.all([rowsOf(ids), operators.current()]);
    const persons = await namesOf(rows.flatMap(({ civil_id }) => civil_id ?? []));
    for (const { kind, id, name, civil_id: civilId, type } of rows) {
      const whose = civilId === null ? name : (persons.get(civilId) ?? null);
      names.set(id, { kind, name: whose, type });
    }
    for (const id of ids) {
      const operator = present.get(id);
      if (operator !== undefined) names.set(id, operatorName(operator.email));
    }
    // A request for approval is called as what it is about.
    const requests = rows.filter(({ kind }) => kind === 'approval');
    const about = await of(requests.flatMap(({ name }) => name ?? []));
    for (const { id, kind, name: subject, type } of requests) {
      names.set(id, { kind, name: about.get(subject ?? '')?.name ?? null, type });
    }
    return names;
  }

  /** Relying parties and organizations with a name like this. @param limit of each */
  async function thingsFound(text: string, limit: number) {
    const pattern = searchPattern(text);
    const grams = JSON.stringify(tellingGrams(pattern));
    const { rows } = await sql<Row & { readonly latin: string | null }>`
      (select 'relyingParty' as kind, relying_party_id as id, name, null as civil_id, null as type, null as latin
         from relying_party_view where grams @> ${grams}::jsonb and strpos(search, ${pattern}) > 0
         order by name limit ${limit})
      union all
      (select 'organization', ${organizationEtsi('')} || register, name, null, null, name_latin
         from organization_view where grams @> ${grams}::jsonb and strpos(search, ${pattern}) > 0
         order by name limit ${limit})
    `.execute(database);
    return rows;
  }

  return {
    of,

    /** Ids of OpenID Connect clients with a name like this, and of what is to be registered under one. */
    async askedFor(text: string): Promise<readonly string[]> {
      const pattern = searchPattern(text);
      if (pattern.trim() === '') return [];
      const { rows } = await sql<{ readonly id: string; readonly name: string | null }>`
        (select subject as id, ${askedName} as name from approval_view where ${isAskedFor}
          order by requested_at desc limit ${ASKED_FOR})
        union all (select client_id, null from oidc_client_view where strpos(search, ${pattern}) > 0 limit ${ASKED_FOR})
      `.execute(database);
      // PostgreSQL's locale may not know the letters of names asked for, which are folded here.
      const isMeant = (name: string | null) =>
        name === null || searchText([name]).includes(pattern);
      return rows.filter(({ name }) => isMeant(name)).map(({ id }) => id);
    },

    /**
     * Everything called exactly so, upper or lower case alike: operators by e-mail, relying parties and organizations by
     * name, citizens by given name, whole name or identifier.
     *
     * @returns null when more citizens begin so than are compared
     */
    async called(text: string): Promise<readonly Found[] | null> {
      const wanted = text.trim().toLowerCase();
      const [things, found, present] = await Promise.all([
        thingsFound(text, COMPARED + 1),
        people.citizens(text, { limit: COMPARED + 1, offset: 0 }),
        operators.current(),
      ]);
      if (Math.max(found.items.length, things.length) > COMPARED) return null;
      const exact = things.filter(({ id, name, latin }) =>
        [name, latin, id.replace(ORGANIZATION, '$1')].some(
          (each) => each?.toLowerCase() === wanted,
        ),
      );
      const isIdentifier = readPersonIdentifier(text) !== null;
      const persons = found.items
        .filter((citizen) => isIdentifier || isCalled(citizen, wanted))
        .map(foundCitizen);
      return [...colleagues(present, wanted, 'byEmail'), ...exact.map(foundRow), ...persons];
    },

    /**
     * Operators, relying parties, organizations and citizens with this name or identifier.
     *
     * @param limit of each kind
     * @param how operators are found: by any part of the e-mail, or by the whole
     */
    async find(
      text: string,
      limit: number,
      how: 'byPart' | 'byEmail' = 'byEmail',
    ): Promise<readonly Found[]> {
      if (searchPattern(text).trim() === '') return [];
      const [things, found, present] = await Promise.all([
        thingsFound(text, limit),
        people.citizens(text, { limit, offset: 0 }),
        operators.current(),
      ]);
      const wanted = text.trim().toLowerCase();
      return [
        ...colleagues(present, wanted, how).slice(0, limit),
        ...things.map(foundRow),
        ...found.items.map(foundCitizen),
      ];
    },
  };
}

export type Names = ReturnType<typeof createNames>;

function colleagues(
  present: Operators,
  wanted: string,
  how: 'byPart' | 'byEmail',
): readonly Found[] {
  return [...present.values()]
    .filter(({ email }) => {
      const known = email.toLowerCase();
      return how === 'byPart' ? known.includes(wanted) : known === wanted;
    })
    .map(({ operatorId: id, email }) => ({ id, ...operatorName(email) }));
}

function foundRow({ kind, id, name, type }: Row): Found {
  return { id, kind, name, type };
}

/** True for a given name, alone or with the surname before it. @param wanted lower case */
function isCalled({ firstName, lastName, forgotten }: CitizenView, wanted: string): boolean {
  const names = [firstName, `${lastName} ${firstName}`].map((name) => name.toLowerCase());
  return !forgotten && names.includes(wanted);
}

function foundCitizen({ etsi: id, lastName, firstName, forgotten }: CitizenView): Found {
  return { id, kind: 'citizen', name: forgotten ? null : `${lastName} ${firstName}`, type: null };
}

function personRow(civilId: string): Row {
  return { kind: 'citizen', id: personEtsi(civilId), name: null, civil_id: civilId, type: null };
}

function operatorName(email: string): Named {
  return { kind: 'operator', name: email, type: null };
}
