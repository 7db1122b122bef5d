import { endIdentity } from '../application/certificate/endIdentity.ts';
import {
  reinstateCertificate,
  revokeCertificate,
} from '../application/certificate/revokeCertificate.ts';
import { endDevice } from '../application/device/endDevice.ts';
import type { CommandContext } from '../application/handleCommand.ts';
import {
  createCertificateRevokingReactor,
  createDeviceEndingReactor,
} from '../application/reactors/endDeviceWithItsCertificates.ts';
import { createGivingUp } from '../application/reactors/giveUpAbandonedRequests.ts';
import { failingFast } from '../infrastructure/postgres/availability.ts';
import { type CertificateFilter, createCertificateLists } from '../projections/certificates.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';

/** Certificates listed at most. */
const LISTED = 1000;

/** The life of certificates after they were issued, and the phones that end with them. */
export function composeCertificateLife({ foundation, aggregates, effects }: Core) {
  const { clock, database, eventStore, checkpoints, singleActive, progress } = foundation;
  const { certificates, devices } = aggregates;
  const { onFailure } = effects;
  const lists = failingFast(createCertificateLists(database));
  const ending = { certificates, devices, clock };
  const following = { ...ending, eventStore, checkpoints, singleActive, onFailure };
  const part: ServicePart = {
    reactors: [
      createDeviceEndingReactor(following),
      createCertificateRevokingReactor(following),
      createGivingUp({ certificates, requests: lists, clock, singleActive, onFailure }),
    ],
  };

  /** Answers when what was done can be read. */
  async function readable(position: Promise<bigint | null>): Promise<void> {
    const appended = await position;
    if (appended !== null) await progress.untilProjected(appended);
  }

  return {
    part,
    /** @param reason RFC 5280 CRLReason number; 6 suspends */
    revokeCertificate: (serial: string, reason: number, context: CommandContext) =>
      readable(revokeCertificate(ending, serial, reason, context)),
    reinstateCertificate: (serial: string, context: CommandContext) =>
      readable(reinstateCertificate(ending, serial, context)),
    deactivateDevice: (documentNumber: string, reason: number, context: CommandContext) =>
      readable(endDevice(ending, documentNumber, reason, context)),
    endIdentity: (civilId: string, context: CommandContext) =>
      endIdentity({ ...ending, holdings: lists, eventStore, progress }, civilId, context),
    /** As the log has them now: a maintenance command has only just begun to project. */
    listCertificates: async (filter: CertificateFilter) => {
      await readable(eventStore.head());
      return lists.certificates(filter, clock.now(), LISTED);
    },
  };
}

export type CertificateLife = ReturnType<typeof composeCertificateLife>;
