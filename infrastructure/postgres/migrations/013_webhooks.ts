import { expand } from './statements.ts';

/** Events told to relying parties, what they are sent and signed with, and whose devices a relying party knows. */
export const webhooks = expand([
  `alter table relying_party_view add column webhooks jsonb not null default '[]'`,
  `create table webhook_address (
    relying_party_id text not null,
    address text not null,
    -- Attempts in a row that nobody answered.
    failures integer not null default 0,
    paused_until timestamptz,
    -- It answered 410.
    gone_at timestamptz,
    primary key (relying_party_id, address)
  )`,
  `create table webhook_delivery (
    id text primary key,
    relying_party_id text not null,
    address text not null,
    -- Events of one subject are sent one after another.
    subject text not null,
    place bigint generated always as identity,
    type text not null,
    body text not null,
    state text not null,
    attempts integer not null default 0,
    reason text,
    -- Beginning of the day after which it is given up.
    since timestamptz not null,
    next_at timestamptz not null,
    leased_until timestamptz,
    tried_at timestamptz
  )`,
  `create index webhook_delivery_waiting on webhook_delivery (relying_party_id, address, subject, place)
    where state = 'WAITING'`,
  `create index webhook_delivery_order on webhook_delivery (relying_party_id, address, place)
    where state = 'WAITING'`,
  `create index webhook_delivery_newest on webhook_delivery (relying_party_id, place)`,
  `create index webhook_delivery_age on webhook_delivery (since) where state <> 'WAITING'`,
  `create table webhook_key (
    relying_party_id text not null,
    made_at timestamptz not null,
    -- Encrypted: the secret of HMAC-SHA-256 and the private key of Ed25519.
    sealed text not null,
    public_key text not null,
    ends_at timestamptz,
    primary key (relying_party_id, made_at)
  )`,
  `create table webhook_acquaintance (
    relying_party_id text not null,
    -- A document number, or the register of an organization.
    about text not null,
    primary key (about, relying_party_id)
  )`,
]);
