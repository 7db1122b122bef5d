import { addressBlocks } from '../api/http/caller.ts';
import type { Permission } from '../domain/relyingParty/events.ts';
import { permissions } from '../domain/relyingParty/events.ts';
import { withService } from './openService.ts';

interface RegisterOptions {
  readonly callbackHost: readonly string[];
  readonly permission: readonly string[];
  readonly firstParty: boolean;
  readonly allowIp: readonly string[];
  readonly clientCertificate: readonly string[];
  readonly requestsPerMinute?: number;
  readonly smartIdStatuses: boolean;
}

/** Registers a relying party and shows its UUID and API secret, once. */
export async function register(name: string, options: object): Promise<void> {
  const { callbackHost, permission, firstParty, allowIp, clientCertificate, ...rest } =
    options as RegisterOptions;
  const unknown = permission.filter((item) => !permissions.includes(item as Permission));
  if (unknown.length > 0) {
    throw new Error(`Unknown permission ${unknown.join(', ')}; known: ${permissions.join(', ')}`);
  }
  // Faults here would otherwise show only when the relying party calls.
  addressBlocks(allowIp);
  await withService(async (service) => {
    const { relyingPartyId, apiSecret } = await service.registerRelyingParty({
      name,
      callbackHosts: callbackHost,
      ipAllowlist: allowIp,
      clientCertificates: clientCertificate,
      permissions: permission as Permission[],
      firstParty,
      requestsPerMinute: rest.requestsPerMinute ?? null,
      smartIdStatuses: rest.smartIdStatuses,
    });
    say(`relyingPartyUUID  ${relyingPartyId}`);
    say(`API secret        ${apiSecret}   (shown only now)`);
  });
}

/** Gives a relying party a new secret; the old one stops working at once. */
export async function rotate(relyingPartyId: string): Promise<void> {
  await withService(async (service) => {
    const { apiSecret } = await service.rotateSecret(relyingPartyId);
    say(`API secret  ${apiSecret}   (shown only now)`);
  });
}

/** Refuses all further calls of a relying party. */
export async function deactivate(relyingPartyId: string): Promise<void> {
  await withService(async (service) => {
    await service.deactivateRelyingParty(relyingPartyId);
    say('Deactivated.');
  });
}

/** Lists relying parties, one a line. */
export async function list(): Promise<void> {
  await withService(async (service) => {
    for (const party of await service.listRelyingParties()) {
      const state = party.active ? 'active' : 'deactivated';
      say(
        `${party.relyingPartyId}  ${state.padEnd(11)}  ${party.name}  [${party.permissions.join(' ')}]`,
      );
    }
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
