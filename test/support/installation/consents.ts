import { createConsents } from '../../../application/openIdConnect/aggregates.ts';
import { consentId } from '../../../domain/consent/consent.ts';
import { createEventLog } from '../../../infrastructure/eventstore/eventLog.ts';
import { systemClock, systemRandomness } from '../../../infrastructure/system.ts';
import { installationLog } from '../events/eventLogs.ts';
import { sampleMetadata } from '../events/sampleEvents.ts';
import { testVault } from '../doubles/vault.ts';

/** A citizen agrees to a client of an installation, from a process of its own: this one. */
export async function giveConsent(
  databaseUrl: string,
  { civilId, clientId }: { readonly civilId: string; readonly clientId: string },
): Promise<void> {
  const log = installationLog(databaseUrl);
  const consents = createConsents({
    eventStore: createEventLog({ store: log, vault: testVault() }),
    clock: systemClock,
    randomness: systemRandomness,
  });
  const scopes = ['openid', 'profile'] as const;
  const now = new Date().toISOString();
  await log.start();
  try {
    const command = { type: 'GiveConsent', civilId, clientId, scopes, now } as const;
    await consents.handle(consentId(civilId, clientId), command, sampleMetadata);
  } finally {
    await log.stop();
  }
}
