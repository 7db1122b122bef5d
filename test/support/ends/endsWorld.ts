import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventLog } from '../../../application/ports/eventLog.ts';
import { deviceProof } from '../../../apps/phone/crypto.ts';
import type { CitizenCard } from '../../../apps/phone/identityVerification.ts';
import { createPhone } from '../../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../../apps/phone/phoneStore.ts';
import { eventually } from '../assertions/eventually.ts';
import { startDemoInstallation } from '../installation/demoInstallation.ts';
import { type Answer, call, type CallOptions } from '../../../main/drill/callers.ts';
import { createServiceHere } from '../installation/serviceHere.ts';
import { openOperatorWorld } from '../worlds/operatorWorld.ts';
import { aParty } from '../given/wishes.ts';

type Method = NonNullable<CallOptions['method']>;

const adminKey = 'the key behind the glass';
/** Shorter than a session of who decides. */
export const approvalSeconds = 1800;
const MOST_CITIZENS = 90;

/** `200`, or status and code of a refusal. */
export function toldBy({ status, body }: Pick<Answer, 'status' | 'body'>): string {
  return status < 300 ? '200' : `${status} ${String(body['code'] ?? body['error'])}`;
}

/** A citizen of the civil registry. */
export interface EndsCitizen {
  readonly civilId: string;
  readonly etsi: string;
  readonly regNo: string;
  readonly card: CitizenCard;
}

/** An installation of two processes: things are issued and ended here, and used there, where the time can be another. */
export async function startEndsWorld() {
  const settings = {
    SVC_ADMIN_API_KEY: adminKey,
    SVC_ADMIN_REQUIRE_4EYES: 'true',
    SVC_ADMIN_APPROVAL_SECONDS: String(approvalSeconds),
  };
  const demo = await startDemoInstallation({
    ...settings,
    SVC_ROLES: 'api,projector,worker,console',
    SVC_CONSOLE_PORT: '0',
    SVC_SOLE_PROCESS: 'false',
  });
  const here = demo.service;
  const following = createHeldFollowing();
  let aheadMs = 0;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  const there = createServiceHere(
    {
      ...settings,
      SVC_DATABASE_URL: demo.databaseUrl,
      SVC_DATA_DIR: demo.directory,
      SVC_RP_API_BASE: here.origin,
      SVC_ROLES: 'api',
    },
    { clock, aroundLog: following.aroundLog },
  );
  await there.start();
  const register = join(demo.directory, 'people.csv');
  await writeFile(register, civilRegister());
  await here.importRegister('civil', register);
  const operators = openOperatorWorld(here.origin, adminKey, here.operators);
  const asker = await operators.signedIn('SUPER_ADMIN');
  const approver = await operators.signedIn('SUPER_ADMIN');
  const relyingParty = (name: string) =>
    here.registerRelyingParty(aParty(name, ['AUTH', 'SIGN', 'SEAL']));
  const messenger = await relyingParty('Messenger');
  let { apiSecret: known } = messenger;
  let citizens = 0;
  let others = 0;

  const isKnownThere = async (apiSecret: string) => {
    const headers = { authorization: `Bearer ${apiSecret}` };
    return (await call(`${there.origin}/v3/session/unknown`, { headers })).status === 404;
  };

  /** Waits until a change made now was announced there: so was whatever was committed before. */
  async function untilTold(): Promise<void> {
    // Read at once unless its former secret is remembered.
    if (!(await isKnownThere(known))) throw new Error('The messenger is unknown there.');
    const { apiSecret } = await here.rotateSecret(messenger.relyingPartyId);
    await eventually(async () => {
      if (!(await isKnownThere(apiSecret))) throw new Error('The other process was not told yet.');
    });
    known = apiSecret;
  }

  /** A citizen of their own for each thing. */
  function newCitizen() {
    citizens += 1;
    if (citizens === MOST_CITIZENS) throw new Error('All citizens of the register are used.');
    return citizenOf(citizens);
  }

  /** Enrols another phone of a citizen, or the first one of a new one. */
  async function enrol(citizen: EndsCitizen = newCitizen()) {
    const { civilId, card } = citizen;
    const store = createMemoryPhoneStore();
    const phone = createPhone({ baseUrl: here.origin, store });
    const { documentNumber } = await phone.enrol({ card, pin1: '1234', pin2: '12345' });
    const transport = (await store.load())?.transport;
    if (transport === undefined) throw new Error('The phone kept nothing.');
    const held = await eventually(async () => {
      const certificates = await here.listCertificates({ documentNumber });
      if (certificates.length < 2) throw new Error('Its certificates are not shown yet.');
      return certificates;
    });
    /** A call of the phone there, made at the time there. */
    const callThere = async (method: Method, path: string, body?: object) => {
      const sent = body === undefined ? '' : JSON.stringify(body);
      const made = { method, path, body: sent, time: clock.now() };
      const headers = { dpop: await deviceProof(transport, documentNumber, made) };
      return call(there.origin + path, { method, headers, ...(body !== undefined && { body }) });
    };
    const serialOf = (wanted: string) => held.find(({ type }) => type === wanted)?.serial ?? '';
    const phoneThere = createPhone({ baseUrl: there.origin, store });
    const scripted = { phone, pin1: '1234', pin2: '12345', outcome: 'OK' as const };
    return { ...scripted, citizen, civilId, documentNumber, serialOf, phoneThere, callThere };
  }

  return {
    demo,
    here,
    there,
    clock,
    operators,
    approver,
    newCitizen,
    enrol,
    /** Lets what is kept in memory there be older than the log until the test is over. */
    hold: following.hold,
    /** Ends {@link hold} and {@link later}. */
    release: () => {
      following.release();
      aheadMs = 0;
    },
    /** A number that nobody else has. */
    next: () => (others += 1),
    /** Lets the time there be later, ms. */
    later: (ms: number) => {
      aheadMs = ms;
      return Promise.resolve();
    },
    /** Asks for it as one operator, approves as another. */
    async decided(method: Method, path: string, body: object = {}): Promise<void> {
      const asked = await asker.call(method, path, body);
      if (asked.status !== 202) throw new Error(`${path}: ${toldBy(asked)}, not 202.`);
      const approval = `/approvals/${String(asked.body['id'])}/approve`;
      const decision = await approver.call('POST', approval, {});
      if (decision.body['status'] !== 'EXECUTED') throw new Error(`${path}: ${toldBy(decision)}`);
    },
    relyingParty,
    untilTold,
    async stop() {
      await there.stop();
      await demo.stop();
    },
  };
}

export type EndsWorld = Awaited<ReturnType<typeof startEndsWorld>>;
export type EndsPhone = Awaited<ReturnType<EndsWorld['enrol']>>;

function citizenOf(number: number): EndsCitizen {
  const two = String(number).padStart(2, '0');
  const card = {
    identifier: `1100001000${two}`,
    cardNumber: `E900000${two}`,
    birthDate: '1985-03-15',
  };
  return {
    civilId: card.identifier,
    etsi: `PNOMN-${card.identifier}`,
    regNo: `ТА850315${two}`,
    card,
  };
}

function civilRegister(): string {
  const names = [
    ...['civilId', 'registrationNumber', 'givenName', 'surname', 'familyName'],
    ...['givenNameLatin', 'surnameLatin', 'birthDate', 'gender', 'geId', 'cardNumber', 'email'],
  ];
  const rows = Array.from({ length: MOST_CITIZENS }, (_, index) => {
    const { civilId, regNo, card } = citizenOf(index);
    const person = 'Бат,Дорж,Боржигон,Bat,Dorj';
    return `${civilId},${regNo},${person},${card.birthDate},M,${300_000 + index},${card.cardNumber},`;
  });
  return [names.join(','), ...rows, ''].join('\n');
}

/** Subscriptions to the log that deliver nothing while they are held. */
function createHeldFollowing() {
  let gate = Promise.resolve();
  let open: () => void = () => undefined;
  return {
    hold: () => {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    release: () => {
      open();
    },
    aroundLog: (log: EventLog): EventLog => ({
      ...log,
      subscribe: (options) =>
        log.subscribe({
          ...options,
          onBatch: async (...batch) => {
            await gate;
            await options.onBatch(...batch);
          },
        }),
    }),
  };
}
