/** Read models, one table each (docs/architecture.md), and the checkpoints of all subscribers of the log. */
export const readModels: readonly string[] = [
  `create table approval_view (
    approval_id text primary key,
    operation text not null,
    execution text not null,
    capability text not null,
    subject text not null,
    status text not null,
    effects jsonb not null,
    command_hash text not null,
    requested_by text not null,
    requested_at timestamptz not null,
    expires_at timestamptz not null,
    decided_by text,
    decided_at timestamptz,
    ended_at timestamptz,
    code text,
    revision bigint not null
  )`,
  `create index approval_view_open on approval_view (approval_id) where status = any (array['PENDING', 'APPROVED'])`,
  `create index approval_view_status on approval_view (status, requested_at, approval_id)`,
  `create index approval_view_time on approval_view (requested_at, approval_id)`,

  `create table assistant_prompt_view (
    prompt text primary key,
    content text not null,
    version bigint not null,
    changed_by text not null,
    changed_at timestamptz not null,
    revision bigint not null
  )`,

  `create table audit_view (
    position bigint primary key,
    event_id uuid not null,
    stream text collate "C" not null,
    type text collate "C" not null,
    outcome text collate "C" not null,
    actor_kind text collate "C" not null,
    actor_id text collate "C" not null,
    capability text collate "C",
    subject text collate "C" not null,
    person text collate "C",
    request_id text collate "C",
    ip text collate "C",
    happened_at timestamptz not null,
    details jsonb not null,
    revision bigint not null
  ) partition by range (position)`,
  `create table audit_view_other partition of audit_view default`,
  `create index audit_view_actor on audit_view (actor_id, position)`,
  `create index audit_view_denied on audit_view (position) where outcome = 'DENIED'`,
  `create index audit_view_event_id on audit_view (event_id)`,
  `create index audit_view_person on audit_view (person, position)`,
  `create index audit_view_subject on audit_view (subject, position)`,
  `create index audit_view_time on audit_view (happened_at, position)`,
  `create index audit_view_type on audit_view (type, position)`,

  `create table certificate_view (
    serial text primary key,
    type text not null,
    level text,
    key_type text not null,
    civil_id text,
    document_number text,
    issuer text not null,
    public_key text not null,
    not_before timestamptz not null,
    not_after timestamptz not null,
    status text not null,
    certificate text,
    fingerprint text,
    revocation_reason bigint,
    revoked_at timestamptz,
    revision bigint not null,
    holder_kind text not null,
    register text,
    purpose text,
    authority text not null,
    key_label text,
    superseded_by text
  )`,
  `create index certificate_view_civil_id on certificate_view (civil_id)`,
  `create index certificate_view_document on certificate_view (document_number)`,
  `create index certificate_view_list on certificate_view (not_after, serial)`,
  `create index certificate_view_register on certificate_view (register) where register is not null`,
  `create index certificate_view_requested on certificate_view (serial) where status = 'REQUESTED'`,
  `create index certificate_view_revoked on certificate_view (serial) where status = any (array['REVOKED', 'SUSPENDED'])`,
  `create index certificate_view_status on certificate_view (status, not_after, serial) include (superseded_by)`,
  `create index certificate_view_superseded on certificate_view (not_after, serial) where (status = 'VALID') and (superseded_by is not null)`,

  // One page, updated hundreds of times a second: every reader walks what is not cleaned up.
  `create table checkpoint (
    name text primary key,
    position bigint,
    moved_at timestamptz not null default now()
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)`,

  // Citizens by their names' fingerprints; the index has no pending list, which the next search would have to scan.
  `create table citizen_search (
    civil_id text primary key,
    enrolled_at timestamptz not null,
    name_index tsvector,
    revision bigint not null
  )`,
  `create index citizen_search_list on citizen_search (enrolled_at, civil_id)`,
  `create index citizen_search_names on citizen_search using gin (name_index) with (fastupdate = off)`,

  `create table citizen_view (
    civil_id text primary key,
    identity text,
    registration_index text,
    enrolled_at timestamptz not null,
    revision bigint not null
  )`,
  `create index citizen_view_registration on citizen_view (registration_index)`,

  `create table consent_view (
    consent_id text primary key,
    civil_id text not null,
    client_id text not null,
    scopes jsonb not null,
    changed_at timestamptz not null,
    revision bigint not null
  )`,
  `create index consent_view_citizen on consent_view (civil_id)`,

  // Events that a reactor failed to react to and left behind.
  `create table dead_letter (
    reactor text not null,
    event_id text not null,
    stream text not null,
    revision bigint not null,
    error text not null,
    attempts integer not null,
    since timestamptz not null default now(),
    primary key (reactor, event_id)
  )`,

  `create table device_view (
    document_number text primary key,
    civil_id text not null,
    platform text not null,
    push_token text,
    transport_key text not null,
    authentication_serial text not null,
    signing_serial text not null,
    active boolean not null,
    enrolled_at timestamptz not null,
    deactivated_at timestamptz,
    revision bigint not null
  )`,
  `create index device_view_civil_id on device_view (civil_id)`,
  `create index device_view_inactive on device_view (enrolled_at, document_number) where not active`,
  `create index device_view_list on device_view (enrolled_at, document_number) include (active)`,

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
  `create index document_view_created on document_view (created_at, document_id)`,
  `create index document_view_names on document_view using gin (names)`,
  `create index document_view_signing on document_view (document_id) where session_id is not null`,
  `create index document_view_tenant on document_view (tenant_id, created_at, document_id)`,

  `create table identity_verification_view (
    verification_id text primary key,
    method text not null,
    status text not null,
    civil_id text,
    attempts bigint not null,
    last_failure text,
    started_at timestamptz not null,
    expires_at timestamptz not null,
    ended_at timestamptz,
    revision bigint not null
  )`,
  `create index identity_verification_view_method on identity_verification_view (method, started_at, verification_id)`,
  `create index identity_verification_view_open on identity_verification_view (expires_at, verification_id) where status = 'PENDING'`,
  `create index identity_verification_view_person on identity_verification_view (civil_id, started_at, verification_id) where civil_id is not null`,
  `create index identity_verification_view_started on identity_verification_view (started_at, verification_id)`,
  `create index identity_verification_view_status on identity_verification_view (status, started_at, verification_id)`,

  `create table knowledge_article_view (
    article_id text primary key,
    title text not null,
    content text not null,
    tags jsonb not null,
    language text not null,
    source text,
    origin text not null,
    content_hash text not null,
    removed boolean not null,
    version bigint not null,
    added_at timestamptz not null,
    changed_by text not null,
    changed_at timestamptz not null,
    search text not null,
    revision bigint not null
  )`,
  `create index knowledge_article_view_changed on knowledge_article_view (changed_at, article_id) where NOT removed`,

  // Notices to citizens, by the phones they were given on.
  `create table notice_view (
    notice_id text primary key,
    civil_id text not null,
    phones jsonb not null,
    given jsonb not null,
    given_at timestamptz not null,
    revision bigint not null
  )`,
  `create index notice_view_phones on notice_view using gin (phones jsonb_path_ops)`,

  `create table oidc_client_view (
    client_id text primary key,
    relying_party_id text not null,
    name text not null,
    settings jsonb not null,
    has_secret boolean not null,
    active boolean not null,
    registered_at timestamptz not null,
    search text not null,
    revision bigint not null
  )`,
  `create index oidc_client_view_registered on oidc_client_view (registered_at desc, client_id desc)`,

  `create table organization_view (
    register text primary key,
    name text not null,
    name_latin text,
    status text not null,
    status_before text,
    registered_at timestamptz not null,
    revision bigint not null,
    search text not null default '',
    grams jsonb not null default '[]',
    folded_names jsonb not null default '[]'
  )`,
  `create index organization_view_folded_names on organization_view using gin (folded_names jsonb_path_ops)`,
  `create index organization_view_grams on organization_view using gin (grams jsonb_path_ops)`,
  `create index organization_view_name on organization_view (name)`,
  `create index organization_view_name_latin on organization_view (name_latin)`,
  `create index organization_view_registered on organization_view (registered_at, register) include (search)`,
  `create index organization_view_status on organization_view (status, registered_at, register) include (search)`,

  // Events that could not be folded into a row of a read model, and those of the same row behind them.
  `create table parked_event (
    read_model text not null,
    position bigint not null,
    row_key text not null,
    event_id text not null,
    stream text not null,
    revision bigint not null,
    error text,
    attempts integer not null default 0,
    since timestamptz not null default now(),
    retry_wanted boolean not null default false,
    skipped_at timestamptz,
    primary key (read_model, position)
  )`,
  `create index parked_event_row on parked_event (read_model, row_key, position)`,

  `create table relying_party_view (
    relying_party_id text primary key,
    name text not null,
    secret_hash text not null,
    callback_hosts jsonb not null,
    ip_allowlist jsonb not null,
    client_certificates jsonb not null,
    permissions jsonb not null,
    first_party boolean not null,
    requests_per_minute bigint,
    active boolean not null,
    subsystems jsonb not null,
    revision bigint not null,
    smart_id_statuses boolean not null default false,
    registered_at timestamptz not null default now(),
    search text not null default '',
    grams jsonb not null default '[]',
    seals_for jsonb not null default '[]',
    aliases jsonb not null default '[]',
    other_names boolean not null default true
  )`,
  `create index relying_party_view_active on relying_party_view (active, registered_at, relying_party_id) include (search)`,
  `create index relying_party_view_grams on relying_party_view using gin (grams jsonb_path_ops)`,
  `create index relying_party_view_registered on relying_party_view (registered_at, relying_party_id) include (search)`,
  `create index relying_party_view_secret on relying_party_view (secret_hash)`,

  `create table representation_view (
    register text primary key,
    rights jsonb not null,
    has_pending boolean not null,
    revision bigint not null
  )`,
  `create index representation_view_pending on representation_view (register) where has_pending`,
  `create index representation_view_rights on representation_view using gin (rights jsonb_path_ops)`,

  // Its indexes of what is running are scanned several times a second and hold an entry for each dead row.
  `create table session_view (
    session_id text primary key,
    relying_party_id text not null,
    kind text not null,
    flow text not null,
    civil_id text,
    document_number text,
    status text not null,
    end_result text,
    refused_interaction text,
    signature text,
    signature_algorithm text,
    certificate_serial text,
    certificate_level text,
    interaction_type_used text,
    started_at timestamptz not null,
    answer_before timestamptz not null,
    readable_until timestamptz not null,
    completed_at timestamptz,
    revision bigint not null
  ) partition by range (session_id)`,
  `create table session_view_other partition of session_view default
    with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000, autovacuum_analyze_scale_factor = 0.02)`,
  `create index session_view_activity on session_view (civil_id, relying_party_id, started_at)`,
  `create index session_view_inbox on session_view (civil_id, started_at) where (status = 'RUNNING') and (flow = 'NOTIFICATION')`,
  `create index session_view_overdue on session_view (answer_before, session_id) where status = 'RUNNING'`,

  // Counts maintained with the rows of read models; few rows, updated often: a low fill factor allows updates in place.
  `create table tally (
    source text collate "C" not null,
    metric text collate "C" not null,
    bucket timestamptz not null,
    relying_party_id text collate "C" not null,
    label text collate "C" not null,
    count bigint not null,
    primary key (metric, bucket, relying_party_id, label)
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0)`,
];
