import { join } from 'node:path';
import { organizationEtsi, personEtsi } from '../domain/shared/etsi.ts';
import type { Service } from '../main.ts';
import { createPhone } from '../phone/phone.ts';
import { createFilePhoneStore } from '../phone/phoneStore.ts';
import type { ScriptedPhone } from '../phone/scripted.ts';
import { type DemoCitizen, demoCitizens, demoOrganization } from './demo.ts';

/** A demo citizen as in `.tamga/demo.json`. */
export interface DemoPerson {
  readonly etsi: string;
  readonly civilId: string;
  readonly regNo: string;
  readonly documentNumber: string;
  readonly name: string;
  readonly keyType: string;
  readonly outcome: string;
  readonly pin1: string;
  readonly pin2: string;
}

/** `admin` and `manager` are semantics identifiers of demo citizens. */
export interface DemoRepresentation {
  readonly register: string;
  readonly etsi: string;
  readonly name: string;
  readonly admin: string;
  readonly manager: string;
}

type Preparing = Pick<Service, 'origin' | 'organizations' | 'changeSealing' | 'isForgotten'>;

/** Enrols the demo citizens, but for those that were forgotten; phones of earlier runs stay. */
export async function enrolDemoCitizens(
  service: Preparing,
  dataDir: string,
): Promise<{
  readonly citizens: readonly DemoPerson[];
  readonly phones: readonly ScriptedPhone[];
}> {
  const enrolled: { readonly person: DemoPerson; readonly phone: ScriptedPhone }[] = [];
  for (const citizen of demoCitizens) {
    if (await service.isForgotten(citizen.civilId)) continue;
    enrolled.push(await enrol(service, dataDir, citizen));
  }
  return {
    citizens: enrolled.map(({ person }) => person),
    phones: enrolled.map(({ phone }) => phone),
  };
}

async function enrol({ origin }: Preparing, dataDir: string, citizen: DemoCitizen) {
  const { civilId, regNo, name, keyType, outcome, pin1, pin2 } = citizen;
  const { cardNumber, birthDate } = citizen;
  const store = createFilePhoneStore(join(dataDir, 'phones', `${civilId}.json`));
  const phone = createPhone({ baseUrl: origin, store, keyType });
  const card = { identifier: civilId, cardNumber, birthDate };
  const { documentNumber } = await phone.enrol({ card, pin1, pin2 });
  const etsi = personEtsi(civilId);
  return {
    person: { etsi, civilId, regNo, documentNumber, name, keyType, outcome, pin1, pin2 },
    phone: { phone, pin1, pin2, outcome },
  };
}

/**
 * Prepares the demo's organization, for which its relying party may seal; existing parts stay. The first two citizens
 * represent it.
 */
export async function prepareDemoOrganization(
  service: Preparing,
  relyingPartyId: string,
  [admin, manager]: readonly DemoPerson[],
): Promise<DemoRepresentation> {
  if (admin === undefined || manager === undefined) {
    throw new Error(
      'Fewer than two demo citizens are left: the others were forgotten. Start over with another SVC_DATA_DIR.',
    );
  }
  const { register, name, nameLatin } = demoOrganization;
  await service.organizations.register({ register, name, nameLatin, activate: true });
  const terms = { source: 'MANUAL', evidenceRef: null, validTo: null } as const;
  await service.organizations.grant(register, admin.civilId, {
    ...terms,
    rightType: 'ADMIN',
    role: 'Захирал',
  });
  await service.organizations.grant(register, manager.civilId, {
    ...terms,
    rightType: 'MANAGER',
    role: 'Нягтлан',
  });
  await service.changeSealing('allow', { relyingPartyId, register });
  return {
    register,
    etsi: organizationEtsi(register),
    name,
    admin: admin.etsi,
    manager: manager.etsi,
  };
}
