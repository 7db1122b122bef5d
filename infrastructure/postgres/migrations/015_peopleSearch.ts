import { inStatements } from './statements.ts';

/** Lists and searches of the operator API: citizens by their names' fingerprints, devices, certificates. */
export const peopleSearch = inStatements([
  `create table citizen_search (
    civil_id text primary key,
    enrolled_at timestamptz not null,
    name_index tsvector,
    revision bigint not null
  )`,
  `create index citizen_search_list on citizen_search (enrolled_at, civil_id)`,
  // Without the pending list, which the next search would have to scan.
  `create index citizen_search_names on citizen_search using gin (name_index) with (fastupdate = off)`,

  `create index device_view_list on device_view (enrolled_at, document_number) include (active)`,
  `create index device_view_inactive on device_view (enrolled_at, document_number) where not active`,

  `create index certificate_view_list on certificate_view (not_after, serial)`,
  `create index certificate_view_status on certificate_view (status, not_after, serial)
    include (superseded_by)`,
  `create index certificate_view_superseded on certificate_view (not_after, serial)
    where status = 'VALID' and superseded_by is not null`,
  `create index certificate_view_document on certificate_view (document_number)`,
  `create index certificate_view_register on certificate_view (register)
    where register is not null`,

  `create index organization_view_name on organization_view (name)`,
  `create index organization_view_name_latin on organization_view (name_latin)`,
]);
