import { count, setting } from './settings.ts';

/** Limits of a process, and its management address. */
export const loadSettings = {
  SVC_MAX_IN_FLIGHT: setting(
    count(1, 1_000_000).default(2000),
    'Requests being worked on at once; waiting polls, and requests whose bodies have not arrived, do not count. Beyond it: 503 with Retry-After.',
  ),
  SVC_MAX_EVENT_LOOP_DELAY: setting(
    count(10, 60_000).default(250),
    'Milliseconds of event-loop delay beyond which new work is refused with 503 and Retry-After.',
  ),
  SVC_MAX_CONNECTIONS: setting(
    count(1, 1_000_000).default(50_000),
    'Connections at once to the API, and to the console; more are closed unread.',
  ),
  SVC_MAX_CONNECTIONS_PER_ADDRESS: setting(
    count(1, 1_000_000).default(500),
    'Connections of one address (IPv6: /64 network) at once to each; those of `SVC_TRUSTED_PROXIES` are not counted.',
  ),
  SVC_MAX_UNFINISHED_BODIES: setting(
    count(1, 1_000_000).default(2000),
    'Requests at once whose bodies have not arrived; beyond it the oldest of the address with most is refused with 503.',
  ),
  SVC_MAX_UNFINISHED_BODIES_PER_ADDRESS: setting(
    count(1, 1_000_000).default(100),
    'The same of one address (IPv6: /64 network), told by `X-Forwarded-For` behind `SVC_TRUSTED_PROXIES`; beyond it the oldest is refused with 429.',
  ),
  SVC_PDFS_PER_DAY: setting(
    count(0, 100_000_000).default(200_000),
    'PDFs a relying party may have prepared, stamped or sealed in 24 hours; 0: any number.',
  ),
  SVC_PDF_MEGABYTES_PER_DAY: setting(
    count(0, 100_000_000).default(102_400),
    'The same in megabytes of the PDFs sent.',
  ),
  SVC_START_WAIT: setting(
    count(0, 3600).default(5),
    'Seconds a start waits for PostgreSQL, EventStoreDB and the token before it gives up.',
  ),
  SVC_DRAIN_SECONDS: setting(
    count(0, 5).optional(),
    'Seconds a process that is told to end goes on answering while its `/readyz` says 503, so that a balancer that looks there sends it no more.',
    '3 in production, otherwise 0',
  ),
  SVC_MANAGEMENT_PORT: setting(
    count(0, 65535).optional(),
    'Port for `/livez`, `/readyz` and `/metrics`, which the public port then does not serve; 0 takes a free one.',
  ),
  SVC_APPEND_QUEUE: setting(
    count(1, 1_000_000).default(10_000),
    'Appends that may wait for a commit. Beyond it: 503 with Retry-After.',
  ),
};
