import { admitted } from '../../application/approval/relyingPartyOperations.ts';
import { organizationEtsi, readRegister } from '../../domain/shared/etsi.ts';
import { withService } from './openService.ts';
import { settingsFromOptions } from './relyingPartyOptions.ts';
import { sayLink } from './handOverLink.ts';
import { say } from './say.ts';

/** Registers a relying party and prints its UUID and API secret, or a link to it, once. */
export async function register(name: string, options: { readonly link?: boolean }): Promise<void> {
  const settings = settingsFromOptions(name, options);
  await withService(async (service) => {
    if (options.link === true) {
      const offer = await service.registerByLink(settings);
      say(`relyingPartyUUID  ${offer.holderId}`);
      sayLink(offer, service);
      return;
    }
    const { relyingPartyId, apiSecret } = await service.registerRelyingParty(settings);
    say(`relyingPartyUUID  ${relyingPartyId}`);
    say(`API secret        ${apiSecret}   (shown only now)`);
  });
}

/** Issues a new secret of a relying party; the old one ends at once. */
export async function rotate(relyingPartyId: string): Promise<void> {
  await withService(async (service) => {
    const { apiSecret } = await service.rotateSecret(relyingPartyId);
    say(`API secret  ${apiSecret}   (shown only now)`);
  });
}

/** Deactivates a relying party: all further calls are refused. */
export async function deactivate(relyingPartyId: string): Promise<void> {
  await withService(async (service) => {
    await service.deactivateRelyingParty(relyingPartyId);
    say('Deactivated.');
  });
}

/** Lets a relying party seal for organizations. */
export async function allowSealing(relyingPartyId: string, organizations: readonly string[]) {
  await changeSealing('allow', relyingPartyId, organizations);
}

/** Ends that a relying party seals for organizations. */
export async function withdrawSealing(relyingPartyId: string, organizations: readonly string[]) {
  await changeSealing('withdraw', relyingPartyId, organizations);
}

async function changeSealing(
  change: 'allow' | 'withdraw',
  relyingPartyId: string,
  organizations: readonly string[],
): Promise<void> {
  const registers = organizations.map((text) => {
    const register = readRegister(text);
    if (register === null) throw new Error(`Not a registration number: ${text}`);
    return register;
  });
  await withService(async (service) => {
    for (const register of registers) {
      await service.changeSealing(change, { relyingPartyId, register });
      say(`${organizationEtsi(register)}: ${change === 'allow' ? 'allowed' : 'withdrawn'}.`);
    }
  });
}

/** Sets the names a relying party may send beside its registered one, all of them. */
export async function setNames(
  relyingPartyId: string,
  aliases: readonly string[],
  { otherNames = false }: { readonly otherNames?: boolean },
): Promise<void> {
  await withService(async (service) => {
    await service.setRelyingPartyNames({ relyingPartyId, aliases, otherNames });
    say(`Aliases: ${aliases.join(' · ') || 'none'}. Other names: ${admitted(otherNames)}.`);
  });
}

/** Lists relying parties, one per line. */
export async function list(): Promise<void> {
  await withService(async (service) => {
    for (const party of await service.listRelyingParties()) {
      const state = party.active ? 'active' : 'deactivated';
      const sealed = party.sealsFor.map(organizationEtsi).join(' ');
      const seals = sealed === '' ? '' : `  seals for ${sealed}`;
      const aliases = party.aliases.map((alias) => `  also ${alias}`).join('');
      const others = party.otherNames ? '  and any other name' : '';
      const rights = `[${party.permissions.join(' ')}]${seals}`;
      say(
        `${party.relyingPartyId}  ${state.padEnd(11)}  ${party.name}  ${rights}${aliases}${others}`,
      );
    }
  });
}
