import pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';

const UNIQUE_VIOLATION = '23505';

/**
 * True when the statement itself was refused (data exception, constraint) and a retry would be refused again. Every
 * other error (connection, shutdown, resources, read-only standby, missing schema) is a server failure.
 */
export function isRefusedStatement(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '');
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION;
}

/** Runs a read; every failure becomes `Unavailable`. */
export async function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (isRefusedStatement(error)) throw error;
    throw new Unavailable('eventStore', error);
  }
}
