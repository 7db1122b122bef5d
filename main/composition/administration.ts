import type { IssuingCas } from '../../application/aggregates.ts';
import { type CommandContext, createAggregate } from '../../application/handleCommand.ts';
import { LOG_IDENTITY, logIdentityDecider } from '../../domain/logIdentity/logIdentity.ts';
import { parsePersonIdentifier } from '../../domain/shared/etsi.ts';
import type { IssuingCa } from '../../domain/shared/issuingCas.ts';
import { withMaintenanceConnection } from '../../infrastructure/postgres/maintenanceConnection.ts';
import { systemRandomness } from '../../infrastructure/system.ts';
import { programVersion } from '../../infrastructure/version.ts';
import type { Database } from '../../projections/database.ts';
import { rebuildReadModel } from '../../projections/engine/rebuild.ts';
import type { CertificateLife } from './certificateLife.ts';
import type { Foundation } from './foundation.ts';
import { activateIssuingCa } from './issuingCas.ts';
import type { Forget } from './people.ts';

/** Administration from the machine itself, used by the CLI. */
export function administration(
  foundation: Foundation,
  {
    certificateLife,
    forget,
    issuingCas,
  }: {
    readonly certificateLife: CertificateLife;
    readonly forget: Forget;
    readonly issuingCas: IssuingCas;
  },
) {
  const { eventStore, vault, databaseUrl } = foundation;
  return {
    forgetPerson: (identifier: string) => forget(parsePersonIdentifier(identifier), commandLine()),
    isForgotten: vault.isForgotten,
    revokeCertificate: (serial: string, reason: number) =>
      certificateLife.revokeCertificate(serial, reason, commandLine()),
    reinstateCertificate: (serial: string) =>
      certificateLife.reinstateCertificate(serial, commandLine()),
    deactivateDevice: (documentNumber: string, reason: number) =>
      certificateLife.deactivateDevice(documentNumber, reason, commandLine()),
    listCertificates: certificateLife.listCertificates,
    activateIssuingCa: (authority: IssuingCa) =>
      activateIssuingCa({ ...foundation, issuingCas }, authority, commandLine()),
    async noteUpgrade(level: number) {
      const upgrade = { level, release: programVersion() };
      const log = createAggregate('log', logIdentityDecider, foundation);
      await log.handle(LOG_IDENTITY, { type: 'FinishUpgrade', upgrade }, commandLine());
    },
    rebuild: (name: string, onProgress: (events: number) => void) =>
      withMaintenanceConnection<Database>(databaseUrl, async (resources) => {
        const onEvents = ({ events }: { readonly events: number }) => onProgress(events);
        await rebuildReadModel(name, { ...resources, eventStore, vault, onProgress: onEvents });
      }),
  };
}

/** Context of a command entered on the machine itself. */
export function commandLine(): CommandContext {
  const id = systemRandomness.uuid();
  return {
    actor: { kind: 'operator', id: 'command line' },
    correlationId: id,
    causationId: id,
    requestId: null,
    ip: null,
  };
}
