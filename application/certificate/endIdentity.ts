import { revocationReasons } from '../../domain/shared/revocationReason.ts';
import { endDevice, type EndDeviceDependencies, revokeCertificate } from './revocation.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { CitizenHoldings } from '../ports/citizenHoldings.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';

export interface EndIdentityDependencies extends EndDeviceDependencies {
  readonly holdings: CitizenHoldings;
  readonly eventStore: Pick<EventStore, 'head'>;
  readonly progress: ProjectionProgress;
}

/** Ends everything a citizen holds: devices, certificates, requests for certificates. Idempotent. */
export async function endIdentity(
  dependencies: EndIdentityDependencies,
  civilId: string,
  context: CommandContext,
): Promise<void> {
  const { holdings, certificates, clock, eventStore, progress } = dependencies;
  const head = await eventStore.head();
  if (head !== null) await progress.untilProjected(head);
  const reason = revocationReasons.cessationOfOperation;
  for (const documentNumber of await holdings.activeDocumentNumbersOf(civilId)) {
    await endDevice(dependencies, documentNumber, reason, context);
  }
  for (const { serial, isIssued } of await holdings.openCertificatesOf(civilId)) {
    const now = clock.now().toISOString();
    if (isIssued) await revokeCertificate(dependencies, serial, reason, context);
    else await certificates.handle(serial, { type: 'AbandonRequest', now }, context);
  }
}
