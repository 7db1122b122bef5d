import type { Http } from './http.ts';
import { type Json, missing, numberIn, objectsIn, required, textIn } from './json.ts';
import type { CallOptions } from './types.ts';

/** A person of the registry. */
export interface DirectoryPerson {
  /** Number in the core registry; null: unknown. */
  readonly coreId: number | null;
  /** Father's and given name. */
  readonly name: string;
  /** Null: unknown. */
  readonly email: string | null;
  /** Null: unknown. */
  readonly phone: string | null;
  /** Upper case. */
  readonly regNo: string;
}

/** An organization of the registry. */
export interface DirectoryOrganization {
  /** Number in the core registry; null: unknown. */
  readonly coreId: number | null;
  /** Name. */
  readonly name: string;
  /** Name with its legal form. */
  readonly legalName: string;
  /** National registration number. */
  readonly orgRegister: string;
  /** Name for addresses, of Latin letters. */
  readonly suggestedSlug: string;
  /** Null: unknown. */
  readonly email: string | null;
  /** Null: unknown. */
  readonly phone: string | null;
  /** Null: unknown. */
  readonly address: string | null;
}

/** A person with a verified identity at this installation. */
export interface VerifiedHere {
  /** `PNOMN-<civil id>`. */
  readonly etsi: string;
  /** Father's and given name. */
  readonly name: string;
  /** Upper case. */
  readonly regNo: string;
  /** First phone enrolled; RFC 3339. */
  readonly linkedAt: string;
  /** Last session completed; RFC 3339; null: not lately. */
  readonly lastSeenAt: string | null;
  /** Organizations the person acts for. */
  readonly organizations: readonly {
    readonly orgRegister: string;
    readonly name: string | null;
    readonly role: string | null;
  }[];
}

/**
 * Directory of persons and organizations (contract §11); needs an access token with the scope `directory.read`. All
 * reject with an {@link ApiError}: 404 for nobody, 503 `DIRECTORY_NOT_CONFIGURED`, 502 `DIRECTORY_FAILED`.
 */
export interface Directory {
  /** Finds a person. @param regNo registration number or civil id */
  person(regNo: string, options?: CallOptions): Promise<DirectoryPerson>;
  /** Finds an organization. @param orgRegister national registration number */
  organization(orgRegister: string, options?: CallOptions): Promise<DirectoryOrganization>;
  /** Lists people verified here, enrolled last first, at most 50. @param query part of a name or number; empty: all */
  people(query: string, options?: CallOptions): Promise<readonly VerifiedHere[]>;
}

export function createDirectory(http: Http): Directory {
  const ask = (route: string, query: Readonly<Record<string, string>>, options: CallOptions = {}) =>
    http.json({
      method: 'GET',
      route: `/api/platform/v1/directory/${route}`,
      query,
      signal: options.signal,
    });

  return {
    person: async (regNo, options) => readPerson(await ask('person', { reg_no: regNo }, options)),
    organization: async (orgRegister, options) =>
      readOrganization(await ask('organisation', { reg_no: orgRegister }, options)),
    people: async (query, options) => {
      const answer = await ask('people', query === '' ? {} : { q: query }, options);
      if (!Array.isArray(answer['people'])) throw missing('people');
      return objectsIn(answer, 'people').map(readVerified);
    },
  };
}

function readPerson(answer: Json): DirectoryPerson {
  return {
    coreId: numberIn(answer, 'core_id'),
    name: required(answer, 'name'),
    email: textIn(answer, 'email'),
    phone: textIn(answer, 'phone'),
    regNo: required(answer, 'registration_number'),
  };
}

function readOrganization(answer: Json): DirectoryOrganization {
  return {
    coreId: numberIn(answer, 'core_id'),
    name: required(answer, 'name'),
    legalName: required(answer, 'legal_name'),
    orgRegister: required(answer, 'registration_number'),
    suggestedSlug: textIn(answer, 'suggested_slug') ?? '',
    email: textIn(answer, 'email'),
    phone: textIn(answer, 'phone'),
    address: textIn(answer, 'address'),
  };
}

function readVerified(person: Json): VerifiedHere {
  return {
    etsi: required(person, 'user_id'),
    name: required(person, 'name'),
    regNo: required(person, 'reg_number'),
    linkedAt: required(person, 'linked_at'),
    lastSeenAt: textIn(person, 'last_seen_at'),
    organizations: objectsIn(person, 'organisations').map((each) => ({
      orgRegister: required(each, 'registration_number'),
      name: textIn(each, 'name'),
      role: textIn(each, 'role'),
    })),
  };
}
