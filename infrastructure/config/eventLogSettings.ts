import { eventStoreUrl } from './addresses.ts';
import { secret } from './settings.ts';

/** Settings of the event log. */
export const eventLogSettings = {
  SVC_EVENTSTORE_URL: secret(
    eventStoreUrl.optional(),
    'Connection string of EventStoreDB or KurrentDB. If set, the event log is kept there (docs/eventstoredb.md).',
    'the log is kept in PostgreSQL',
  ),
  SVC_EVENTSTORE_ARCHIVE_URL: secret(
    eventStoreUrl.optional(),
    'The same with a user that may delete streams. Only processes that archive need it.',
  ),
};
