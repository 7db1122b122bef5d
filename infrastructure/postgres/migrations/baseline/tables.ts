const BUCKETS = 32;

/** Tables that are neither log nor read model: keys, lists, copies of registers, work to do. */
export const tables: readonly string[] = [
  // One row for each range of the log whose ended sessions are in the archive (ADR 47). Keys are time-ordered, so their
  // bounds tell which entries may hold one. `directory_sha256` is of what an entry's index says before its keys; one that
  // was restored is read until nobody can have missed it; until `is_removed` the log may still hold the events.
  `create table archive_entry (
    name text primary key,
    first_position bigint not null unique,
    last_position bigint not null,
    streams bigint not null,
    events bigint not null,
    bytes bigint not null,
    lowest_stream text collate "C" not null,
    highest_stream text collate "C" not null,
    lowest_id text collate "C" not null,
    highest_id text collate "C" not null,
    directory_sha256 text not null,
    archived_at timestamptz not null,
    restored_at timestamptz,
    is_removed boolean not null
  )`,

  // Cost of the assistant per day, in millionths of a currency.
  `create table assistant_spending (
    day date not null,
    scope text not null,
    amount bigint not null,
    primary key (day, scope)
  )`,

  // One row: the extent of the tiles. A writer advances it only from the state it read.
  `create table audit_tree (
    singleton boolean primary key default true check (singleton),
    size bigint not null,
    last_position bigint
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)`,
  `insert into audit_tree (size) values (0)`,

  // Filled only when the event store cannot look up events by id.
  `create table audit_tree_event (
    event_id uuid primary key,
    index bigint not null
  )`,

  `create table audit_tree_head (
    number bigint primary key,
    size bigint not null,
    root bytea not null,
    signed_at timestamptz not null,
    signature bytea not null,
    key_id text not null,
    public_key bytea not null
  )`,
  `create index audit_tree_head_size on audit_tree_head (size, number)`,

  // Certificates of the keys that sign heads of the tree.
  `create table audit_tree_key (
    key_id text primary key,
    certificate bytea not null
  )`,

  `create table audit_tree_tile (
    level smallint not null,
    number bigint not null,
    hashes bytea storage external not null,
    primary key (level, number)
  )`,

  // Certificates of the certification authorities.
  `create table ca_certificate (
    name text primary key,
    certificate bytea not null,
    created_at timestamptz not null default now()
  )`,

  // Copy of the civil register: sealed records, looked up by civil id or by the fingerprint of the registration number.
  `create table civil_registry (
    civil_id text primary key,
    registration_number_index text not null unique,
    record_fingerprint text not null,
    sealed text not null
  )`,

  // Operator sessions that ended before their tokens.
  `create table ended_operator_session (
    session_id text primary key,
    tokens_expire_at timestamptz not null
  )`,

  // Persons whose data key was destroyed, in the order it was.
  `create table forgotten_person (
    number bigint primary key generated always as identity,
    subject text not null unique,
    forgotten_at timestamptz not null default now()
  )`,

  // Delayed and retried work of the in-process runner.
  `create table job (
    id text primary key,
    name text not null,
    payload jsonb not null,
    state text not null default 'WAITING',
    due_at timestamptz not null default now(),
    attempts integer not null default 0,
    last_error text,
    created_at timestamptz not null default now(),
    ended_at timestamptz
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`,
  `create index job_due on job (due_at) where state = 'WAITING'`,
  `create index job_ended on job (ended_at) where ended_at is not null`,

  // Vectors of the knowledge base's passages, by model.
  `create table knowledge_vector (
    model text not null,
    passage_hash text not null,
    vector bytea storage external not null,
    primary key (model, passage_hash)
  )`,

  // Identity of the log that read models and checkpoints follow: one row, none before the first start.
  `create table log_identity (
    singleton boolean primary key default true check (singleton),
    installation_id uuid not null,
    epoch integer not null,
    wrapping_key_fingerprint text not null
  )`,

  // The move of the log that was begun and not finished; addresses without credentials.
  `create table log_move (
    singleton boolean primary key default true check (singleton),
    source text not null,
    destination text not null
  )`,

  // Index of the keys; the keys themselves are in the key vault.
  `create table oidc_signing_key (
    number integer primary key,
    label text not null unique,
    active_from timestamptz not null
  )`,

  // Identifiers as SHA-256, contents sealed: reading the table gives access to nothing.
  `create table oidc_state (
    kind text not null,
    id_hash bytea not null,
    payload text not null,
    civil_id text,
    client_id text,
    grant_hash bytea,
    uid_hash bytea,
    consumed_at timestamptz,
    expires_at timestamptz not null,
    primary key (kind, id_hash)
  )`,
  `create index oidc_state_citizen on oidc_state (civil_id) where civil_id is not null`,
  `create index oidc_state_client on oidc_state (client_id) where client_id is not null`,
  `create index oidc_state_expiry on oidc_state (expires_at)`,
  `create index oidc_state_grant on oidc_state (grant_hash) where grant_hash is not null`,
  `create index oidc_state_uid on oidc_state (kind, uid_hash) where uid_hash is not null`,

  // Copy of the register of legal entities.
  `create table organization_registry (
    register text primary key,
    core_id bigint,
    name text not null,
    legal_name text not null,
    email text,
    phone text,
    address text,
    affiliates text[]
  )`,

  // Wrapped data keys of persons, in 32 partitions: destroying a key rewrites its partition (see postgresPersonKeys.ts),
  // so partitions are kept small. `wrapped_key` null: destroyed.
  `create table person_key (
    bucket smallint not null,
    subject text not null,
    wrapped_key bytea,
    primary key (bucket, subject)
  ) partition by list (bucket)`,
  ...Array.from(
    { length: BUCKETS },
    (_, bucket) =>
      `create table person_key_${bucket} partition of person_key for values in (${bucket})`,
  ),

  // PDFs awaiting a citizen's own signature.
  `create table prepared_document (
    prepared_id text primary key,
    relying_party_id text not null,
    digest text not null,
    civil_id text not null,
    sealed_key text not null,
    content bytea storage external not null,
    size bigint not null,
    expires_at timestamptz not null
  )`,
  `create index prepared_document_awaits on prepared_document (relying_party_id, digest)`,
  `create index prepared_document_expires on prepared_document (expires_at)`,

  // The newest revocation list of each CA.
  `create table revocation_list (
    authority text primary key,
    number bigint not null,
    this_update timestamptz not null,
    next_update timestamptz not null
  )`,

  // A list of a million entries has some 50 MB: too large for one message or allocation.
  `create table revocation_list_part (
    authority text not null,
    number bigint not null,
    part integer not null,
    bytes bytea storage external not null,
    primary key (authority, number, part)
  )`,

  // Certificate used by each service of the platform.
  `create table service_identity (
    purpose text primary key,
    serial text not null,
    replaces text
  )`,

  // Software keys encrypted under the master key.
  `create table software_key (
    label text primary key,
    type text not null,
    public_key bytea not null,
    sealed bytea not null,
    created_at timestamptz not null default now()
  )`,

  // Logout tokens and notices that were not taken; who was logged in is not in them.
  `create table undelivered (
    id text primary key,
    client_id text,
    since timestamptz not null,
    attempts integer not null,
    reason text not null,
    tried_at timestamptz not null,
    given_up boolean not null,
    kind text not null default 'LOGOUT'
  )`,
  `create index undelivered_tried_at on undelivered (tried_at)`,

  // Files stored before the log references them, or no longer referenced.
  `create table unsettled_file (
    file_id text primary key,
    document_id text not null,
    noted_at timestamptz not null
  )`,
  `create index unsettled_file_noted on unsettled_file (noted_at)`,
];
