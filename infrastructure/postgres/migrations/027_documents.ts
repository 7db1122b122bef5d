import { inStatements } from './statements.ts';

/** Documents of organizations, and possibly orphaned files. */
export const documents = inStatements([
  `create table document_view (
    document_id text primary key,
    tenant_id text not null,
    status text not null,
    awaited bigint not null,
    session_id text,
    signing_ends_at timestamptz,
    names jsonb not null,
    created_at timestamptz not null,
    revision bigint not null
  )`,
  'create index document_view_created on document_view (created_at, document_id)',
  'create index document_view_tenant on document_view (tenant_id, created_at, document_id)',
  'create index document_view_names on document_view using gin (names)',
  'create index document_view_signing on document_view (document_id) where session_id is not null',

  // Not a read model: files stored before the log references them, or no longer referenced.
  `create table unsettled_file (
    file_id text primary key,
    document_id text not null,
    noted_at timestamptz not null
  )`,
  'create index unsettled_file_noted on unsettled_file (noted_at)',
]);
