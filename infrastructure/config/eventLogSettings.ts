import { z } from 'zod';
import { parseConnectionString } from '../eventstore/eventStoreDb/connectionString.ts';
import { secret } from './settings.ts';

/** Faults show the parser's message, which never quotes the string: it holds a password. */
const connectionString = z.string().superRefine((text, context) => {
  try {
    parseConnectionString(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});

/** Settings of the event log. */
export const eventLogSettings = {
  SVC_EVENTSTORE_URL: secret(
    connectionString.optional(),
    'EventStoreDB or KurrentDB connection string; set, it keeps the event log (docs/eventstoredb.md).',
    'the log is kept in PostgreSQL',
  ),
  SVC_EVENTSTORE_ARCHIVE_URL: secret(
    connectionString.optional(),
    'The same with a user that may delete streams, which archiving does; only processes that archive need it.',
  ),
};
