import {
  createCertificateRevokingReactor,
  createDeviceEndingReactor,
  endDevice,
  endIdentity,
  reinstateCertificate,
  revokeCertificate,
} from '../../application/certificate/revocation.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import { createGivingUp } from '../../application/reactors/giveUpAbandonedRequests.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { type CertificateFilter, createCertificateLists } from '../../projections/certificates.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';
import { certificatesReadModel } from '../../projections/models/certificates.ts';
import { devicesReadModel } from '../../projections/models/devices.ts';

/** Certificates listed at most. */
const LISTED = 1000;

/** Revocation, suspension and expiry of certificates, and the devices that end with them. */
export function composeCertificateLife({ foundation, aggregates, effects }: Core) {
  const { clock, database, eventStore, leaderLock } = foundation;
  const progress = foundation.progressOf(certificatesReadModel, devicesReadModel);
  const { certificates, devices } = aggregates;
  const { onFailure } = effects;
  const lists = failingFast(createCertificateLists(database));
  const ending = { certificates, devices, clock };
  const following = { ...ending, ...effects.following };
  const module: ServiceModule = {
    reactors: [
      createDeviceEndingReactor(following),
      createCertificateRevokingReactor(following),
      createGivingUp({ certificates, requests: lists, clock, leaderLock, onFailure }),
    ],
  };

  /** Resolves when the change is visible in the read models. */
  async function awaitProjected(position: Promise<bigint | null>): Promise<void> {
    const appended = await position;
    if (appended !== null) await progress.untilProjected(appended);
  }

  return {
    module,
    /** @param reason RFC 5280 CRLReason number; 6 suspends */
    revokeCertificate: (serial: string, reason: number, context: CommandContext) =>
      awaitProjected(revokeCertificate(ending, serial, reason, context)),
    reinstateCertificate: (serial: string, context: CommandContext) =>
      awaitProjected(reinstateCertificate(ending, serial, context)),
    deactivateDevice: (documentNumber: string, reason: number, context: CommandContext) =>
      awaitProjected(endDevice(ending, documentNumber, reason, context)),
    endIdentity: (civilId: string, context: CommandContext) =>
      endIdentity({ ...ending, holdings: lists, eventStore, progress }, civilId, context),
    /** Current as of the log: a maintenance command has only just started its projections. */
    listCertificates: async (filter: CertificateFilter) => {
      await awaitProjected(eventStore.head());
      return lists.certificates(filter, clock.now(), LISTED);
    },
  };
}

export type CertificateLife = ReturnType<typeof composeCertificateLife>;
