import { UndecodableEvent } from '../../application/ports/faults.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { OtherPostgres } from '../../infrastructure/postgres/embedded.ts';
import { UnknownSchema } from '../../infrastructure/postgres/migrate.ts';
import { isForeignSchema } from './formatError.ts';

const foreign = [UndecodableEvent, UnknownSchema, OtherPostgres];

/** Reason and remedy, a line each, where another build wrote the data; any other error as it is. */
export function explainForeign(
  error: unknown,
  { SVC_DATABASE_URL, SVC_DATA_DIR }: Pick<Config, 'SVC_DATABASE_URL' | 'SVC_DATA_DIR'>,
): unknown {
  const isForeign = foreign.some((kind) => error instanceof kind) || isForeignSchema(error);
  if (!isForeign || !(error instanceof Error)) return error;
  const isKept = SVC_DATABASE_URL === undefined;
  const where = isKept ? SVC_DATA_DIR : 'the database (SVC_DATABASE_URL)';
  const anew = isKept ? `delete or move ${SVC_DATA_DIR}` : 'name an empty database';
  return new Error(
    `Another build of the platform wrote ${where}, and this one cannot read it: ${error.message}\n` +
      `To begin anew, ${anew}; to keep what is there, start the release that wrote it.`,
  );
}
