import { withService } from './openService.ts';

/** Brings the database to the newest schema. */
export async function migrateDatabase(): Promise<void> {
  // Opening the service migrates; there is nothing else to do.
  await withService(() => Promise.resolve());
  say('The database schema is up to date.');
}

/** Rebuilds one read model from the log, or lists the names. */
export async function rebuild(name: string | undefined): Promise<void> {
  await withService(async (service) => {
    if (name === undefined) {
      say(`Read models: ${service.readModels.join(', ')}`);
      return;
    }
    const started = performance.now();
    await service.rebuild(name, (events) => process.stderr.write(`\r${events} events …`));
    say(`\n${name} rebuilt in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  });
}

/** Destroys a person's key. */
export async function forget(civilId: string): Promise<void> {
  await withService(async (service) => {
    await service.forgetPerson(civilId);
    say(
      'Forgotten: nothing personal kept about this person can be read any more; phones and certificates are ended.',
    );
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
