import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from '../main.ts';
import { withService } from './openService.ts';
import { say } from './say.ts';

/** Time a projector has for retrying, ms. */
const RETRY_MS = 30_000;

/** Lists parked rows, one per line. */
export async function listParked(): Promise<void> {
  await withService(sayParked);
}

/** Has parked rows projected again, and lists what is parked afterwards. */
export async function retryParked(readModel?: string, key?: string): Promise<void> {
  await withService(async (service) => {
    if (readModel !== undefined && !service.readModels.includes(readModel)) {
      throw new Error(
        `There is no read model ${readModel}; there are ${service.readModels.join(', ')}.`,
      );
    }
    const which =
      readModel === undefined ? undefined : { readModel, ...(key === undefined ? {} : { key }) };
    const before = await service.listParked();
    const count = await service.retryParked(which);
    const attempts = (rows: typeof before) =>
      JSON.stringify(rows.map((row) => [row.eventId, row.attempts]));
    const deadline = performance.now() + RETRY_MS;
    let rows = before;
    while (count > 0 && attempts(rows) === attempts(before) && performance.now() < deadline) {
      await delay(200);
      rows = await service.listParked();
    }
    say(`Rows retried: ${count}.`);
    await sayParked(service);
  });
}

/** Lists dead letters, one per line. */
export async function listDeadLetters(): Promise<void> {
  await withService(async (service) => {
    const letters = await service.listDeadLetters();
    for (const { reactor, eventId, stream, error, attempts, since } of letters) {
      say(
        `${reactor}  ${eventId}  ${stream}  ${error}  ${attempts} attempts  since ${since.toISOString()}`,
      );
    }
    if (letters.length === 0) say('There are no dead letters.');
  });
}

/** Reacts to dead letters once more. */
export async function retryDeadLetters(reactor?: string): Promise<void> {
  await withService(
    async (service) => {
      const letters = await service.listDeadLetters();
      if (reactor !== undefined && !letters.some((each) => each.reactor === reactor)) {
        throw new Error(
          `No dead letter is of a reactor ${reactor}; \`reactor list\` shows those there are.`,
        );
      }
      const { succeeded, failed } = await service.retryDeadLetters(reactor);
      say(`Succeeded: ${succeeded}, failed again: ${failed}.`);
      if (failed > 0) process.exitCode = 1;
    },
    { keys: true },
  );
}

async function sayParked(service: Service): Promise<void> {
  const rows = await service.listParked();
  for (const { readModel, key, eventId, error, events, attempts, since } of rows) {
    const behind = events > 1 ? `  ${events - 1} behind it` : '';
    say(
      `${readModel}  ${key}  event ${eventId}  ${error ?? ''}  ${attempts} attempts  since ${since.toISOString()}${behind}`,
    );
  }
  if (rows.length === 0) say('Nothing is parked.');
}
