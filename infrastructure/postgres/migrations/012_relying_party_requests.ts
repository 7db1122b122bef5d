import { expand } from './statements.ts';

/** Requests of relying parties by day, and those that were refused, for some days: neither are in the log. */
export const relyingPartyRequests = expand([
  `create table relying_party_use (
    relying_party_id text not null,
    day date not null,
    operation text not null,
    -- Empty: accepted.
    code text not null,
    requests bigint not null,
    last_at timestamptz not null,
    primary key (relying_party_id, day, operation, code)
  )`,
  `create index relying_party_use_day on relying_party_use (day)`,
  `create table relying_party_refusal (
    id bigint generated always as identity primary key,
    relying_party_id text not null,
    at timestamptz not null,
    request_id text not null,
    operation text not null,
    status smallint not null,
    code text not null,
    faults jsonb not null
  )`,
  `create index relying_party_refusal_newest on relying_party_refusal (relying_party_id, at, id)`,
  `create index relying_party_refusal_age on relying_party_refusal (at)`,
]);
