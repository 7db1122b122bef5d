import { withService } from './openService.ts';

/** Migrates the database to the newest schema. */
export async function migrateDatabase(): Promise<void> {
  // Opening the service migrates.
  await withService(() => Promise.resolve());
  say('The database schema is up to date.');
}

/** Rebuilds a read model from the log, or lists the names. */
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

/** Crypto-shreds a person: destroys the data key. */
export async function forget(civilId: string): Promise<void> {
  await withService(async (service) => {
    await service.forgetPerson(civilId);
    say(
      'Forgotten: the data key of this person is destroyed, so personal data in the log cannot be read any more; devices and certificates are ended.',
    );
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
