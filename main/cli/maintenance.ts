import type { KeptDocument } from '../../application/document/eraseDocuments.ts';
import type { RetentionReason } from '../../domain/document/retention.ts';
import { withService } from './openService.ts';
import { say } from './say.ts';

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
    const { documents } = await service.forgetPerson(civilId);
    say(
      'Forgotten: the data key of this person is destroyed, so personal data in the log can no longer be read. Devices are deactivated and certificates revoked.',
    );
    const { kept, erased } = documents;
    if (erased.length > 0) say(`Files erased, of ${erased.length} documents.`);
    if (kept.length > 0) say(keptText(kept));
  });
}

const reasons: Readonly<Record<RetentionReason, string>> = {
  SIGNED_FOR_ORGANIZATION: 'signed, and evidence for the organization it was made for',
  SIGNED_WITH_OTHERS: 'signed, and evidence for its other parties',
};

function keptText(kept: readonly KeptDocument[]): string {
  return [
    'These documents are kept because of legal obligations and claims of others (GDPR art. 17 (3) (b), (e)):',
    ...kept.map(({ documentId, reason }) => `  ${documentId}  ${reasons[reason]}`),
  ].join('\n');
}
