import type { LogMovement } from './ports/followedLog.ts';

const isInPostgres = (address: string) => address.startsWith('postgres');

/** True of one place: in PostgreSQL the log is in the service's own database alone, wherever its server listens now. */
export function isSamePlace(one: string, other: string): boolean {
  return one === other || (isInPostgres(one) && isInPostgres(other));
}

/** True when the log at this address is what the move makes: of two kinds of log it is known by its kind. */
export function isDestination({ source, destination }: LogMovement, address: string): boolean {
  if (isInPostgres(source) === isInPostgres(destination)) return address === destination;
  return isInPostgres(address) === isInPostgres(destination);
}
