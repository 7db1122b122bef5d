import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type DemoCitizen, demoCitizens } from '../../../main/cli/demo.ts';
import type { Service, ServiceHooks } from '../../../main/main.ts';
import { createPhone, type Phone } from '../../../apps/phone/phone.ts';
import type { PhoneStore } from '../../../apps/phone/phoneState.ts';
import { createMemoryPhoneStore } from '../../../apps/phone/phoneStore.ts';
import type { ScriptedPhone } from '../../../apps/phone/scripted.ts';
import { withCheckedAnswers } from '../assertions/checkedAnswers.ts';
import { eventually } from '../assertions/eventually.ts';
import { migratedDatabase } from '../events/eventLogs.ts';
import { type Answer, call } from '../../../main/drill/callers.ts';
import { createServiceHere } from './serviceHere.ts';
import type { Settings } from './serviceProcess.ts';
import { serverDirectory } from './serverDirectory.ts';
import { aParty } from '../given/wishes.ts';

/** A demo citizen with an enrolled phone. */
export interface DemoPhone extends ScriptedPhone {
  readonly citizen: DemoCitizen;
  readonly phone: Phone;
  readonly documentNumber: string;
  /** Memory of the phone. */
  readonly store: PhoneStore;
}

/** The whole service in this process on a fresh database, as a relying party and phones see it. */
export interface DemoInstallation {
  readonly service: Service;
  readonly relyingPartyId: string;
  readonly apiSecret: string;
  readonly databaseUrl: string;
  /** Empty, removed at the end. */
  readonly directory: string;
  enrol(civilId: string): Promise<DemoPhone>;
  /** POSTs to the relying-party API with the common fields and these; `path` below `/v3`. */
  create(path: string, fields: object): Promise<Answer>;
  /** One long poll. */
  poll(sessionId: unknown, holdMs?: number): Promise<Answer>;
  stop(): Promise<void>;
}

/** Places of the service where a test may stand. */
export type DemoHooks = Pick<ServiceHooks, 'mounts' | 'aroundStaleness'>;

export async function startDemoInstallation(
  settings: Settings = {},
  hooks: DemoHooks = {},
): Promise<DemoInstallation> {
  const directory = await serverDirectory('demo');
  const databaseUrl = await migratedDatabase();
  const service = createServiceHere(
    {
      SVC_DATABASE_URL: databaseUrl,
      SVC_DATA_DIR: directory,
      SVC_SOLE_PROCESS: 'true',
      ...settings,
    },
    { aroundRoutes: withCheckedAnswers, ...hooks },
  );
  await service.start();
  // Rights and statuses are refused until the read models of a service just started are known to keep up.
  await eventually(async () => {
    const { body } = await call(`${service.origin}/readyz`);
    expect(body).to.have.nested.property('dependencies.projector', 'up');
  });
  await service.importRegister('civil', 'infrastructure/registry/demo/civil-registry.csv');
  const { relyingPartyId, apiSecret } = await service.registerRelyingParty(
    aParty('Tamga Demo', ['AUTH', 'SIGN', 'ORG_LINK_WRITE', 'PKI_READ', 'RISK_SIGNALS'], {
      callbackHosts: ['rp.example.mn', '127.0.0.1'],
    }),
  );
  const headers = { authorization: `Bearer ${apiSecret}` };

  return {
    service,
    relyingPartyId,
    apiSecret,
    databaseUrl,
    directory,
    enrol: async (civilId) => {
      const citizen = demoCitizens.find((one) => one.civilId === civilId);
      if (citizen === undefined) throw new Error('There is no such demo citizen.');
      const { cardNumber, birthDate, pin1, pin2, keyType, outcome } = citizen;
      const store = createMemoryPhoneStore();
      const phone = createPhone({ baseUrl: service.origin, store, keyType });
      const card = { identifier: civilId, cardNumber, birthDate };
      const { documentNumber } = await phone.enrol({ card, pin1, pin2 });
      return { citizen, phone, store, documentNumber, pin1, pin2, outcome };
    },
    create: (path, fields) =>
      call(`${service.origin}/v3${path}`, {
        method: 'POST',
        headers,
        body: {
          relyingPartyUUID: relyingPartyId,
          relyingPartyName: 'Tamga Demo',
          certificateLevel: 'QUALIFIED',
          signatureProtocol: 'ACSP_V2',
          interactions: [{ type: 'displayTextAndPIN', displayText60: 'Тийм үү?' }],
          ...fields,
        },
      }),
    poll: (sessionId, holdMs = 20_000) =>
      call(`${service.origin}/v3/session/${String(sessionId)}?timeoutMs=${holdMs}`, { headers }),
    stop: async () => {
      await service.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The variables `./tamga up` writes to `demo.env`; of the citizens, the one who answers OK. */
export async function demoEnvironment(demo: DemoInstallation): Promise<Record<string, string>> {
  const citizen = demoCitizens.find(({ variable }) => variable === 'CITIZEN_OK');
  const trust = await demo.service.writeTrustFiles(join(demo.directory, 'trust'));
  return {
    RP_API_BASE: demo.service.origin,
    VERIFY_BASE: demo.service.origin,
    RP_UUID: demo.relyingPartyId,
    RP_NAME: 'Tamga Demo',
    RP_SECRET: demo.apiSecret,
    CITIZEN_OK: `PNOMN-${String(citizen?.civilId)}`,
    TRUST_ANCHORS: trust.anchorsPem,
    TRUST_INTERMEDIATES: trust.intermediatesPem,
  };
}

/** A fresh rpChallenge field. */
export function newChallenge(bytes = 64): { readonly rpChallenge: string } {
  return { rpChallenge: randomBytes(bytes).toString('base64') };
}
