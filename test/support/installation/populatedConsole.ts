import { sha256Base64 } from '../../../client/index.ts';
import { startScriptedPhones } from '../../../apps/phone/scripted.ts';
import type { ConsoleWorld } from '../worlds/consoleWorld.ts';
import { newChallenge } from './demoInstallation.ts';
import { failedVerification, registeredClient, signedDocument } from './populatedPlatform.ts';
import { demoCitizens } from '../../../main/cli/demo.ts';
import { anOrganization, aParty } from '../given/wishes.ts';

/** Lets things happen that pages can show: phones, sessions of every outcome, relying parties, an organization, operators. */
export async function populate(world: ConsoleWorld): Promise<void> {
  const { demo, operators } = world;
  for (const name of ['Demo Bank', 'Татварын алба', 'E-Notary', 'Цахим эрүүл мэнд']) {
    await demo.service.registerRelyingParty(
      aParty(name, ['AUTH', 'SIGN'], { callbackHosts: ['rp.example.mn'] }),
    );
  }
  await demo.service.organizations.register(anOrganization('5123456', 'Тамга ХХК', 'TAMGA LLC'));
  const phones = [];
  for (const { civilId } of demoCitizens.slice(0, 3)) phones.push(await demo.enrol(civilId));
  const scripted = startScriptedPhones(phones);
  const digest = sha256Base64('I agree.');
  for (const { citizen } of phones) {
    const path = `/notification/etsi/PNOMN-${citizen.civilId}`;
    const login = await demo.create(`/authentication${path}`, newChallenge());
    const signature = await demo.create(`/signature${path}`, {
      digest,
      hashType: 'SHA256',
    });
    for (const { body } of [login, signature]) {
      if (body['sessionID'] !== undefined) await demo.poll(body['sessionID'], 5000);
    }
  }
  await scripted.stop();
  const [signer] = phones;
  if (signer !== undefined) await signedDocument(world, signer);
  await failedVerification(world);
  await registeredClient(world);
  await operators.add('AUDITOR', { email: 'new.colleague@tamga.example' });
}
