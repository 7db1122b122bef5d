import { Refusal } from '../domain/shared/refusal.ts';

/** An error as whoever typed the command reads it: a refusal with every fault it names, one a line. */
export function toldError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof Refusal)) return error.message;
  const faults = error.errors.map(({ pointer, detail }) => `  ${pointer}: ${detail}`);
  return [error.message, ...faults].join('\n');
}
