import { texts as oidcClients } from '../../areas/oidcClients/texts.ts';
import { texts as organizations } from '../../areas/organizations/texts.ts';
import { texts as relyingParties } from '../../areas/relyingParties/texts.ts';
import { type Capability, may, useAccount } from '../../shared/account.ts';
import { useTextsOfAll } from '../../shared/texts.ts';
import { appTexts } from '../appTexts.ts';
import { areas } from '../areas.ts';

/** A page of the console, or a command that has one. */
interface Place {
  readonly to: string;
  readonly name: string;
  readonly capability?: Capability | undefined;
}

/** Pages and commands that the account may use and whose names have a text in them. */
export function usePlaces(): (text: string) => {
  readonly pages: readonly Place[];
  readonly commands: readonly Place[];
} {
  const account = useAccount();
  const say = useTextsOfAll();
  const pages: readonly Place[] = areas
    .filter(({ isOff }) => isOff?.(account) !== true)
    .flatMap(({ nav }) => nav)
    .map(({ path: to, texts, capability }) => ({ to, name: say(texts, 'nav'), capability }));
  const commands: readonly Place[] = [
    {
      to: '/relying-parties/new',
      name: say(relyingParties, 'registerTitle'),
      capability: 'rp:write',
    },
    { to: '/oidc-clients/new', name: say(oidcClients, 'registerTitle'), capability: 'rp:write' },
    {
      to: '/organizations/new',
      name: say(organizations, 'registerTitle'),
      capability: 'org:write',
    },
    { to: '/account', name: say(appTexts, 'account') },
  ];
  return (text) => {
    const meant = text.trim().toLowerCase();
    const isShown = ({ name, capability }: Place) =>
      may(account, capability) && name.toLowerCase().includes(meant);
    return { pages: pages.filter(isShown), commands: commands.filter(isShown) };
  };
}
