import { createHash } from 'node:crypto';
import { demoCitizens } from '../../../main/cli/demo.ts';
import { startScriptedPhones } from '../../../apps/phone/scripted.ts';
import { type Given, given } from '../given/given.ts';
import { anOrganization, aParty } from '../given/wishes.ts';
import { type DemoPhone, newChallenge } from '../installation/demoInstallation.ts';
import { call } from '../../../main/drill/callers.ts';
import type { RelyingPartyCredentials } from '../../../main/drill/callers.ts';
import type { Settings } from '../installation/serviceProcess.ts';

/** A service in which everything has happened once. */
export interface PopulatedWorld extends Given<'ok' | 'refusing'> {
  /** Of the session confirmed; a device link, so that it had a secret. */
  readonly sessionId: string;
  readonly register: string;
  readonly sealingParty: RelyingPartyCredentials;
  /** Serial of a certificate of the phone that refuses; revoked. */
  readonly revokedSerial: string;
  readonly serial: string;
  /** Secrets that no operator may see, by kind. */
  readonly secrets: ReadonlyMap<string, string>;
}

const register = '5123456';

/** Two phones, a session confirmed, one refused, one running, a revoked phone, an organization that sealed. */
export async function startPopulatedWorld(settings: Settings = {}): Promise<PopulatedWorld> {
  const world = await given({
    settings,
    phones: { ok: citizenOf('OK'), refusing: citizenOf('USER_REFUSED') },
  });
  const { service } = world;
  const { ok, refusing } = world.phones;
  const scripted = startScriptedPhones([ok, refusing]);
  const secrets = new Map<string, string>([['API secret', world.apiSecret]]);

  const etsi = (phone: DemoPhone) => `PNOMN-${phone.citizen.civilId}`;
  const digest = createHash('sha256').update('document').digest('base64');
  const linked = await world.create(`/signature/device-link/etsi/${etsi(ok)}`, { digest });
  const sessionId = String(linked.body['sessionID']);
  secrets.set('session secret', String(linked.body['sessionSecret']));
  secrets.set('session token', String(linked.body['sessionToken']));
  await ok.phone.confirm(await ok.phone.open(sessionId), ok.pin2);
  for (const phone of [ok, refusing]) {
    const path = `/authentication/notification/etsi/${etsi(phone)}`;
    const started = await world.create(path, newChallenge());
    const polled = await world.poll(started.body['sessionID']);
    const { cert } = polled.body as { readonly cert?: { readonly value: string } };
    if (cert !== undefined) secrets.set('certificate', cert.value);
  }
  await scripted.stop();
  await world.create('/authentication/device-link/anonymous', newChallenge());

  // One phone ends, its certificates with it.
  const serials = async (phone: DemoPhone) => {
    const { documentNumber } = phone;
    return (await service.listCertificates({ documentNumber })).map(({ serial }) => serial);
  };
  const [revokedSerial = ''] = await serials(refusing);
  const [serial = ''] = await serials(ok);
  await service.deactivateDevice(refusing.documentNumber, 1);

  // An organization seals.
  const organization = anOrganization(register, 'Тамга ХХК', 'TAMGA LLC');
  await world.represented(organization, ok.citizen.civilId, 'CEO');
  const sealingParty = await service.registerRelyingParty(aParty('Sealing', ['SEAL']));
  await world.allowSealing(register, sealingParty.relyingPartyId);
  secrets.set('API secret of the sealing party', sealingParty.apiSecret);
  for (const [name, secret] of [...secrets]) {
    if (secret.startsWith('rp_sk_'))
      secrets.set(`hash of the ${name}`, createHash('sha256').update(secret).digest('hex'));
  }
  const sealed = await call(`${service.origin}/v3/seal/NTRMN-${register}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sealingParty.apiSecret}` },
    body: { digest },
  });
  const { cert } = sealed.body as { readonly cert?: { readonly value: string } };
  secrets.set('seal certificate', cert?.value ?? '');

  return {
    ...world,
    sessionId,
    register,
    sealingParty,
    revokedSerial,
    serial,
    secrets,
  };
}

function citizenOf(outcome: string): string {
  const found = demoCitizens.find((citizen) => citizen.outcome === outcome);
  if (found === undefined) throw new Error('There is no such demo citizen.');
  return found.civilId;
}
