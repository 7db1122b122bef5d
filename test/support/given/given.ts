import { type ClientConfig, EidClient } from '../../../client/index.ts';
import type { Registration } from '../../../domain/organization/organization.ts';
import { type ScriptedPhones, startScriptedPhones } from '../../../apps/phone/scripted.ts';
import {
  type DemoHooks,
  type DemoInstallation,
  type DemoPhone,
  startDemoInstallation,
} from '../installation/demoInstallation.ts';
import type { Settings } from '../installation/serviceProcess.ts';
import { openOperatorWorld, type OperatorWorld } from '../worlds/operatorWorld.ts';
import { aRight } from './wishes.ts';

/** Needs of a test, beside the service and its relying party. */
export interface Wishes<Name extends string = never> {
  readonly settings?: Settings;
  readonly hooks?: DemoHooks;
  /** Civil ids of demo citizens who enrol a phone, by the names the test has for them. */
  readonly phones?: Readonly<Record<Name, string>>;
  /** Phones that answer by themselves until the end. */
  readonly answering?: readonly Name[];
  /** An organization, and who is its ADMIN. */
  readonly organization?: Registration & { readonly admin: Name };
}

/** The service in this process with what was wished for, and the deeds that most tests begin with. */
export interface Given<Name extends string = never> extends DemoInstallation {
  readonly origin: string;
  readonly phones: Readonly<Record<Name, DemoPhone>>;
  /** Operators; with a break-glass key they are added on the machine, so that they approve at once. */
  readonly operators: OperatorWorld;
  /** Enrols demo citizens whose phones answer by themselves until the end. */
  answering(...civilIds: readonly string[]): Promise<readonly DemoPhone[]>;
  /** The client library of the relying party. @param config beside its credentials */
  client(config?: Partial<ClientConfig>): EidClient;
  /** Registers an organization whose ADMIN is the person. */
  represented(organization: Registration, civilId: string, role?: string): Promise<void>;
  /** Lets the relying party seal for the organization, which is issued a certificate. */
  allowSealing(register: string, relyingPartyId: string): Promise<void>;
}

/**
 * Starts the service in this process and has done what a test says it needs.
 *
 * ```ts
 * const world = await given({ phones: { owner: '110000000001' }, answering: ['owner'] });
 * const auditor = await world.operators.signedIn('AUDITOR');
 * ```
 */
export async function given<Name extends string = never>({
  settings = {},
  hooks,
  phones: wanted,
  answering = [],
  organization,
}: Wishes<Name> = {}): Promise<Given<Name>> {
  const demo = await startDemoInstallation(settings, hooks);
  const { service } = demo;
  const { SVC_ADMIN_API_KEY: key } = settings;
  const answers: ScriptedPhones[] = [];
  const begin = (phones: readonly DemoPhone[]) => answers.push(startScriptedPhones(phones));
  const enrolAll = (civilIds: readonly string[]) =>
    Promise.all(civilIds.map((civilId) => demo.enrol(civilId)));

  const represented: Given['represented'] = async (registration, civilId, role) => {
    await service.organizations.register(registration);
    await service.organizations.grant(registration.register, civilId, aRight('ADMIN', role));
  };

  const enrolled = await enrolAll(Object.values<string>(wanted ?? {}));
  const names = Object.keys(wanted ?? {}) as Name[];
  const phones = Object.fromEntries(
    names.map((name, at) => [name, enrolled[at]]),
  ) as unknown as Record<Name, DemoPhone>;
  if (answering.length > 0) begin(answering.map((name) => phones[name]));
  if (organization !== undefined) {
    const { admin, ...registration } = organization;
    await represented(registration, phones[admin].citizen.civilId, 'Захирал');
  }

  return {
    ...demo,
    origin: service.origin,
    phones,
    operators: openOperatorWorld(
      service.origin,
      key,
      key === undefined ? undefined : service.operators,
    ),
    answering: async (...civilIds) => {
      const others = await enrolAll(civilIds);
      for (const phone of others) begin([phone]);
      return others;
    },
    client: (config) =>
      new EidClient({
        baseUrl: service.origin,
        credentials: {
          rpUUID: demo.relyingPartyId,
          rpName: 'Tamga Demo',
          apiSecret: demo.apiSecret,
        },
        ...config,
      }),
    represented,
    allowSealing: async (register, relyingPartyId) => {
      await service.changeSealing('allow', { relyingPartyId, register });
      await service.issueSealCertificate(register);
    },
    stop: async () => {
      for (const each of answers) await each.stop();
      await demo.stop();
    },
  };
}
