import { inStatements } from './statements.ts';

/**
 * Certificates of organizations and of the platform besides those of citizens; the certificate used by each service.
 */
export const certificateHolders = inStatements([
  `alter table certificate_view
    alter column level drop not null,
    alter column civil_id drop not null,
    alter column document_number drop not null,
    add column holder_kind text not null default 'citizen',
    add column register text,
    add column purpose text,
    add column authority text not null default 'personal',
    add column key_label text,
    add column superseded_by text`,
  `alter table certificate_view
    alter column holder_kind drop default,
    alter column authority drop default`,
  `create index certificate_view_requested on certificate_view (serial) where status = 'REQUESTED'`,

  `create table service_identity (
    purpose text primary key,
    serial text not null,
    replaces text
  )`,
]);
