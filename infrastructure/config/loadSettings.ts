import { count, setting } from './settings.ts';

/** Limits of a process, and its management address. */
export const loadSettings = {
  SVC_MAX_IN_FLIGHT: setting(
    count(1, 1_000_000).default(2000),
    'Requests in progress at once, without waiting polls and requests whose bodies have not arrived. Beyond it: 503 with Retry-After.',
  ),
  SVC_MAX_EVENT_LOOP_DELAY: setting(
    count(10, 60_000).default(250),
    'Event-loop delay beyond which new work is refused with 503 and Retry-After, in milliseconds.',
  ),
  SVC_MAX_CONNECTIONS: setting(
    count(1, 1_000_000).default(50_000),
    'Connections at once to the API, and the same to the console. Further ones are closed unread.',
  ),
  SVC_MAX_CONNECTIONS_PER_ADDRESS: setting(
    count(1, 1_000_000).default(500),
    'The same for one address (IPv6: /64 network). Connections from `SVC_TRUSTED_PROXIES` do not count.',
  ),
  SVC_MAX_UNFINISHED_BODIES: setting(
    count(1, 1_000_000).default(2000),
    'Requests at once whose bodies have not arrived. Beyond it, the oldest one of the address that has most is refused with 503.',
  ),
  SVC_MAX_UNFINISHED_BODIES_PER_ADDRESS: setting(
    count(1, 1_000_000).default(100),
    'The same for one address (IPv6: /64 network), which `X-Forwarded-For` names behind `SVC_TRUSTED_PROXIES`. Beyond it, the oldest one is refused with 429.',
  ),
  SVC_PDFS_PER_DAY: setting(
    count(0, 100_000_000).default(200_000),
    'PDFs that a relying party may have prepared, stamped or sealed in 24 hours; 0 means no limit.',
  ),
  SVC_PDF_MEGABYTES_PER_DAY: setting(
    count(0, 100_000_000).default(102_400),
    'The same in megabytes of PDFs sent.',
  ),
  SVC_START_WAIT: setting(
    count(0, 3600).default(5),
    'Time to wait for PostgreSQL, EventStoreDB and the token at the start before giving up, in seconds.',
  ),
  SVC_DRAIN_SECONDS: setting(
    count(0, 5).optional(),
    'Time during which a process that was told to stop still answers, in seconds. Meanwhile its `/readyz` says 503, so that a load balancer sends it no more requests.',
    '3 in production, otherwise 0',
  ),
  SVC_MANAGEMENT_PORT: setting(
    count(0, 65535).optional(),
    'Port for `/livez`, `/readyz` and `/metrics`, which the public port then does not serve; 0 picks a free one.',
  ),
  SVC_APPEND_QUEUE: setting(
    count(1, 1_000_000).default(10_000),
    'Appends that may wait for a commit. Beyond it: 503 with Retry-After.',
  ),
};
