import { randomUUID } from 'node:crypto';
import type { RelyingPartyData } from '../../application/ports/referenceData.ts';
import {
  initialRelyingPartySettings,
  permissions,
  settingsIn,
} from '../../domain/relyingParty/settings.ts';
import { demoName } from '../composition/servers.ts';
import type { Service } from '../main.ts';
import type { ProgressReport } from './demoProgress.ts';

/** The demo's relying party, as in `.tamga/demo.json`. */
export interface DemoRelyingParty {
  readonly uuid: string;
  readonly name: string;
  readonly apiSecret: string;
  readonly callbackHosts: readonly string[];
}

const callbackHosts = ['localhost', '127.0.0.1', 'rp.example.mn'];

type Preparing = Pick<
  Service,
  'origin' | 'listRelyingParties' | 'registerRelyingParty' | 'rotateSecret'
>;

/**
 * The relying party of an earlier run while it can do all the demo shows, with a new secret where the known one is not
 * accepted; else another one.
 */
export async function prepareRelyingParty(
  service: Preparing,
  known: Partial<DemoRelyingParty> | undefined,
  { step, say }: ProgressReport,
): Promise<DemoRelyingParty> {
  const registered = await service.listRelyingParties();
  const usable = registered.filter(canShowAll);
  const kept =
    usable.find(({ relyingPartyId }) => relyingPartyId === known?.uuid) ??
    usable.find(({ name }) => name.startsWith(demoName));
  if (kept === undefined) {
    const names = new Set(registered.map(({ name }) => name));
    const name = freeName(names);
    step(`Registering the demo relying party, ${name}`);
    return { ...(await register(service, name)), name, callbackHosts };
  }
  const { relyingPartyId: uuid, name } = kept;
  const apiSecret = uuid === known?.uuid ? (known.apiSecret ?? '') : '';
  if (await isAccepted(service, apiSecret)) return { uuid, name, apiSecret, callbackHosts };
  say(`  The known secret of ${name} is not accepted. A new one is issued.`);
  return { uuid, name, callbackHosts, apiSecret: (await service.rotateSecret(uuid)).apiSecret };
}

function canShowAll(party: RelyingPartyData): boolean {
  return (
    party.active &&
    hasInitialLimits(party) &&
    permissions.every((permission) => party.permissions.includes(permission)) &&
    callbackHosts.every((host) => party.callbackHosts.includes(host))
  );
}

/** True when its settings are as at first, but those that the demo's are not. */
function hasInitialLimits(party: RelyingPartyData): boolean {
  const { name, callbackHosts, permissions, firstParty } = party;
  const others = { name, callbackHosts, permissions, firstParty };
  const expected = { ...initialRelyingPartySettings, ...others };
  return JSON.stringify(settingsIn(party)) === JSON.stringify(expected);
}

function freeName(taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? demoName : `${demoName} ${number}`;
    if (!taken.has(name)) return name;
  }
}

async function register(service: Preparing, name: string) {
  const { relyingPartyId, apiSecret } = await service.registerRelyingParty({
    ...initialRelyingPartySettings,
    name,
    callbackHosts,
    permissions,
  });
  return { uuid: relyingPartyId, apiSecret };
}

/** Asks for a session nobody started: 404 for a relying party, 401 for a wrong secret. */
async function isAccepted({ origin }: Preparing, apiSecret: string): Promise<boolean> {
  if (apiSecret === '') return false;
  const { status } = await fetch(`${origin}/v3/session/${randomUUID()}?timeoutMs=1000`, {
    headers: { authorization: `Bearer ${apiSecret}` },
  });
  return status === 404;
}
