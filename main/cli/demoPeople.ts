import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { organizationEtsi, personEtsi } from '../../domain/shared/etsi.ts';
import type { Service } from '../main.ts';
import { createPhone, type Phone } from '../../apps/phone/phone.ts';
import { createFilePhoneStore } from '../../apps/phone/phoneStore.ts';
import type { ScriptedPhone } from '../../apps/phone/scripted.ts';
import { type DemoCitizen, demoCitizens, demoOrganization } from './demo.ts';
import { orLeaveOut, type ProgressReport } from './demoProgress.ts';

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

type Preparing = Pick<
  Service,
  'origin' | 'organizations' | 'changeSealing' | 'isForgotten' | 'listCertificates'
>;

/** Enrols the demo citizens, but for those that were forgotten; phones of earlier runs stay while they can be used. */
export async function enrolDemoCitizens(
  service: Preparing,
  dataDir: string,
  telling: ProgressReport,
): Promise<{
  readonly citizens: readonly DemoPerson[];
  readonly phones: readonly ScriptedPhone[];
}> {
  const enrolled: { readonly person: DemoPerson; readonly phone: ScriptedPhone }[] = [];
  for (const citizen of demoCitizens) {
    if (await service.isForgotten(citizen.civilId)) continue;
    const done = await orLeaveOut(telling, `the phone of ${citizen.name}`, () =>
      enrol(service, { dataDir, citizen, telling }),
    );
    if (done !== null) enrolled.push(done);
  }
  return {
    citizens: enrolled.map(({ person }) => person),
    phones: enrolled.map(({ phone }) => phone),
  };
}

interface Enrolling {
  readonly dataDir: string;
  readonly citizen: DemoCitizen;
  readonly telling: ProgressReport;
}

async function enrol(service: Preparing, { dataDir, citizen, telling }: Enrolling) {
  const { civilId, regNo, name, keyType, outcome, pin1, pin2 } = citizen;
  const { cardNumber, birthDate } = citizen;
  const path = join(dataDir, 'phones', `${civilId}.json`);
  const store = createFilePhoneStore(path);
  const phone = createPhone({ baseUrl: service.origin, store, keyType });
  if ((await exists(path)) && !(await isInForce(service, phone))) {
    telling.say(`  The phone of ${name} ended: another is enrolled.`);
    // The phone itself may have removed it.
    await rm(path, { force: true });
  }
  const card = { identifier: civilId, cardNumber, birthDate };
  const { documentNumber } = await phone.enrol({ card, pin1, pin2 });
  const etsi = personEtsi(civilId);
  return {
    person: { etsi, civilId, regNo, documentNumber, name, keyType, outcome, pin1, pin2 },
    phone: { phone, pin1, pin2, outcome },
  };
}

/** Reports if both of the phone's certificates are valid; false, too, for a file that cannot be read as a phone. */
async function isInForce(service: Preparing, phone: Phone): Promise<boolean> {
  const documentNumber: unknown = (await phone.identity().catch(() => null))?.documentNumber;
  if (typeof documentNumber !== 'string') return false;
  const valid = (await service.listCertificates({ documentNumber })).filter(
    ({ status, supersededBy }) => status === 'VALID' && supersededBy === null,
  );
  return ['AUTH', 'SIGN'].every((type) => valid.some((certificate) => certificate.type === type));
}

/**
 * Prepares the demo's organization, for which its relying party may seal; existing parts stay, whatever became of them.
 * The first two citizens represent it.
 *
 * @returns null while fewer than two citizens have a phone
 */
export async function prepareDemoOrganization(
  { organizations, changeSealing }: Preparing,
  [admin, manager]: readonly DemoPerson[],
  {
    relyingPartyId,
    telling,
  }: { readonly relyingPartyId: string; readonly telling: ProgressReport },
): Promise<DemoRepresentation | null> {
  if (admin === undefined || manager === undefined) {
    telling.say(
      '  left out: the organization. Fewer than two demo citizens are left to represent it; another SVC_DATA_DIR starts over.',
    );
    return null;
  }
  const { register } = demoOrganization;
  const known = (await organizations.list()).find((each) => each.register === register);
  if (known === undefined) {
    await organizations.register({ ...demoOrganization, activate: true });
  } else if (known.status !== 'ACTIVE') {
    telling.say(
      `  ${known.name} is ${known.status}: nothing can be signed or sealed for it. \`./tamga organization\` lists what changes that.`,
    );
  }
  const terms = { source: 'MANUAL', evidenceRef: null, validTo: null } as const;
  const grant = (person: DemoPerson, rightType: 'ADMIN' | 'MANAGER', role: string) =>
    orLeaveOut(telling, `the right of ${person.name}`, () =>
      organizations.grant(register, person.civilId, { ...terms, rightType, role }),
    );
  await grant(admin, 'ADMIN', 'Захирал');
  await grant(manager, 'MANAGER', 'Нягтлан');
  await orLeaveOut(telling, 'the right to seal', () =>
    changeSealing('allow', { relyingPartyId, register }),
  );
  return {
    register,
    etsi: organizationEtsi(register),
    name: known?.name ?? demoOrganization.name,
    admin: admin.etsi,
    manager: manager.etsi,
  };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
