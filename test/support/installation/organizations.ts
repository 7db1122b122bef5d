import { createAggregate } from '../../../application/handleCommand.ts';
import {
  type OrganizationCommand,
  organizationDecider,
} from '../../../domain/organization/organization.ts';
import { createEventLog } from '../../../infrastructure/eventstore/eventLog.ts';
import { systemClock, systemRandomness } from '../../../infrastructure/system.ts';
import { installationLog } from '../events/eventLogs.ts';
import { testVault } from '../doubles/vault.ts';
import { sampleMetadata } from '../events/sampleEvents.ts';

/** Commands to organizations of an installation, from a process of its own: this one. */
export function organizationsOf(databaseUrl: string) {
  const log = installationLog(databaseUrl);
  const organizations = createAggregate('organization', organizationDecider, {
    eventStore: createEventLog({ store: log, vault: testVault() }),
    clock: systemClock,
    randomness: systemRandomness,
  });
  const handle = (register: string, command: OrganizationCommand) =>
    organizations.handle(register, command, {
      actor: { kind: 'operator', id: 'test' },
      correlationId: register,
      causationId: sampleMetadata.causationId,
      requestId: null,
      ip: null,
    });
  return {
    start: () => log.start(),
    stop: () => log.stop(),
    register: (register: string, name = 'TAMGA TEST LLC') =>
      handle(register, {
        type: 'RegisterOrganization',
        registration: { register, name, nameLatin: name, activate: true },
        now: new Date().toISOString(),
      }),
    change: (
      register: string,
      type: 'SuspendOrganization' | 'RestoreOrganization' | 'RevokeOrganization',
    ) => handle(register, { type, now: new Date().toISOString() }),
  };
}
