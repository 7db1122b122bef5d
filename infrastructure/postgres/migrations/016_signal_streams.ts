import { expand } from './statements.ts';

/** Streams of security events to OpenID Connect clients; what is sent on them waits beside webhooks. */
export const signalStreams = expand([
  // Nothing is sent there: the stream is paused, or fetched by polling.
  `alter table webhook_address add column held boolean not null default false`,
  `create table signal_stream (
    stream_id text primary key,
    client_id text not null unique,
    relying_party_id text not null,
    status text not null,
    reason text,
    description text,
    -- Null: all.
    events_requested jsonb,
    -- Null: fetched by polling.
    endpoint_url text,
    -- Encrypted.
    authorization_header text,
    verified_at timestamptz
  )`,
  `create table signal_stream_removed (
    stream_id text not null,
    sub text not null,
    primary key (stream_id, sub)
  )`,
]);
