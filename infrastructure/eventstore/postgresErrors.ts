import pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';

const UNIQUE_VIOLATION = '23505';

/**
 * The statement itself was refused (data exception, constraint): repeating it elsewhere would be refused again.
 * Everything else (connection, shutdown, resources, read-only standby, missing schema) is the server's trouble.
 */
export function isRefusedStatement(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '');
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION;
}

/** Runs a read; whatever goes wrong with the server becomes `Unavailable`. */
export async function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (isRefusedStatement(error)) throw error;
    throw new Unavailable('eventStore', error);
  }
}
