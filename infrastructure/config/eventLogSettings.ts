import { eventStoreUrl } from './addresses.ts';
import { secret } from './settings.ts';

/** Settings of the event log. */
export const eventLogSettings = {
  SVC_EVENTSTORE_URL: secret(
    eventStoreUrl.optional(),
    'EventStoreDB or KurrentDB connection string; set, it keeps the event log (docs/eventstoredb.md).',
    'the log is kept in PostgreSQL',
  ),
  SVC_EVENTSTORE_ARCHIVE_URL: secret(
    eventStoreUrl.optional(),
    'The same with a user that may delete streams, which archiving does; only processes that archive need it.',
  ),
};
