import type { StreamCategory } from '../../domain/events.ts';

/**
 * Categories of streams that are of one citizen, whom one of their events names, but not each: a session's failure, a
 * certificate's revocation. The subject of their rows is the identifier in the stream's name.
 */
export const personalCategories = [
  'session',
  'device',
  'certificate',
  'identityVerification',
  'approval',
] as const satisfies readonly StreamCategory[];

const categories = personalCategories.map((category) => `'${category}'`).join(', ');

/** SQL condition: rows of the categories; `row` is the table's alias. */
const isPersonal = (row: string) => `split_part(${row}.stream, '-', 1) in (${categories})`;

// `"audit_view"` in quotes is the table itself, where a query puts archived rows beside it.

/**
 * SQL query of the subjects that are of a person: themselves, and what is of them.
 *
 * @param etsi SQL of the identifier
 */
export const subjectsOf = (etsi: string) => `
  select ${etsi}::text collate "C"
  union all
  select named.subject collate "C" from "audit_view" as named where named.person = ${etsi} and ${isPersonal('named')}`;

/**
 * SQL of the person concerned by a row: whom its event names, or another of the same stream.
 *
 * @param row alias of the row's table
 */
export const personOf = (row: string) => `
  case when ${row}.person is null and ${isPersonal(row)} then (
    select min(named.person) from "audit_view" as named
     where named.subject = ${row}.subject and named.stream = ${row}.stream and named.person is not null
  ) else ${row}.person end`;
