import { expect } from 'chai';
import pg from 'pg';
import { EidClient, type PendingConfirmation } from '../../client/index.ts';
import { type DemoCitizen, demoCitizens } from '../../main/cli/demo.ts';
import { createPhone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { maintaining } from '../support/installation/installation.ts';
import { call } from '../../main/drill/callers.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import {
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';
import { aParty } from '../support/given/wishes.ts';

const [admin, signer] = demoCitizens as [DemoCitizen, DemoCitizen];
const adminEtsi = `PNOMN-${admin.civilId}`;

/** Trigger that blocks appends of session starts and confirmations while another connection has this lock. */
const LOCK = 4711;
const holdAppends = `
  create function hold_confirmation() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(${LOCK});
    return new;
  end $$;
  create trigger hold_confirmation before insert on event
    for each row when (new.type in ('SessionStarted', 'SignerConfirmed')) execute function hold_confirmation()`;

describe('A signer asked or confirmed while the service is killed', function () {
  this.timeout(90_000);
  let database: pg.Client;
  let service: ServiceProcess;
  let client: EidClient;
  let phone: ReturnType<typeof createPhone>;
  let adminPhone: ReturnType<typeof createPhone>;
  let registers = 7_000_000;

  before(async () => {
    const settings = { SVC_DATABASE_URL: await migratedDatabase() };
    const { relyingPartyId: rpUUID, apiSecret } = await maintaining(settings, async (prepared) => {
      await prepared.importRegister('civil', 'infrastructure/registry/demo/civil-registry.csv');
      return prepared.registerRelyingParty(aParty('Links', ['ORG_LINK_WRITE']));
    });
    service = await createServiceProcess(settings);
    await service.start();
    client = new EidClient({
      baseUrl: service.origin,
      credentials: { rpUUID, rpName: 'Links', apiSecret },
    });
    [adminPhone, phone] = await Promise.all([enrol(admin), enrol(signer)]);
    database = new pg.Client(settings.SVC_DATABASE_URL);
    await database.connect();
    await database.query(holdAppends);
  });

  after(async () => {
    await database.end();
    await service.stop();
  });

  async function enrol({ civilId: identifier, cardNumber, birthDate, pin1, pin2 }: DemoCitizen) {
    const made = createPhone({ baseUrl: service.origin, store: createMemoryPhoneStore() });
    await made.enrol({ card: { identifier, cardNumber, birthDate }, pin1, pin2 });
    return made;
  }

  /** Once somebody waits to append. @returns the backend */
  const heldAppend = () =>
    eventually(async () => {
      const { rows } = await database.query<{ pid: number }>(
        `select pid from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
        [LOCK],
      );
      const [waiting] = rows;
      if (waiting === undefined) throw new Error('Nothing is being appended.');
      return waiting.pid;
    }, 20_000);

  /** Loses the append in progress. */
  async function lose(backend: number): Promise<void> {
    await database.query('select pg_terminate_backend($1)', [backend]);
    await database.query('select pg_advisory_unlock($1)', [LOCK]);
  }

  const link = (orgRegister: string) =>
    client.organization.link(adminEtsi, {
      orgRegister,
      orgName: `Тамга ${orgRegister}`,
      affiliates: [{ regNo: admin.regNo }],
    });
  const invite = (orgRegister: string) =>
    client.organization.addSigner(orgRegister, adminEtsi, { signerRegNo: signer.regNo });

  async function allow(pending: PendingConfirmation | null): Promise<void> {
    const request = await adminPhone.open(String(pending?.adminSessionId));
    await adminPhone.confirm(request, admin.pin2);
  }

  /** Agrees, and kills the service while the confirmation is being appended. @returns the append's backend */
  async function killedWhileConfirming(orgRegister: string): Promise<number> {
    await link(orgRegister);
    const { pendingConfirmation } = await invite(orgRegister);
    await allow(pendingConfirmation);
    await database.query('select pg_advisory_lock($1)', [LOCK]);
    const request = await phone.open(String(pendingConfirmation?.sessionId));
    await phone.confirm(request, signer.pin2);
    const held = await heldAppend();
    await service.kill();
    return held;
  }

  async function confirmations(register: string): Promise<number> {
    const { rows } = await database.query(
      `select 1 from event where stream = $1 and type = 'SignerConfirmed'`,
      [`representation-${register}`],
    );
    return rows.length;
  }

  async function expectConfirmedOnce(register: string): Promise<void> {
    await eventually(async () => {
      const { signers } = await client.organization.signers(register, adminEtsi);
      const found = signers.find(({ regNo }) => regNo === signer.regNo);
      expect(found).to.include({ status: 'ACTIVE', rightType: 'MANAGER' });
    }, 20_000);
    // Every sweep after this one would confirm again, had it not been seen; another process sweeps at once.
    await service.kill();
    await service.start();
    await client.organization.signers(register, adminEtsi);
    expect(await confirmations(register)).to.equal(1);
  }

  beforeEach(() => untilCaughtUp());

  /** Answers rest on read models, which a restarted process refuses to trust until they caught up. */
  async function untilCaughtUp(): Promise<void> {
    await eventually(async () => {
      const { body } = await call(`${service.origin}/readyz`);
      expect(body['status']).to.equal('ready');
    });
  }

  it('is verified by the next one, once', async () => {
    const register = `УБ${(registers += 1)}`;
    await lose(await killedWhileConfirming(register));
    expect(await confirmations(register), 'nothing was appended').to.equal(0);
    await service.start();
    await expectConfirmedOnce(register);
  });

  it('is verified once, too, when what the killed one was appending lands all the same', async () => {
    const register = `УБ${(registers += 1)}`;
    await killedWhileConfirming(register);
    service.launch();
    await database.query('select pg_advisory_unlock($1)', [LOCK]);
    await service.untilReady();
    await expectConfirmedOnce(register);
  });

  it('is asked by the same invitation made again when the killed one had not asked yet', async () => {
    const register = `УБ${(registers += 1)}`;
    await link(register);
    await database.query('select pg_advisory_lock($1)', [LOCK]);
    const interrupted = invite(register).catch((error: unknown) => error);
    const backend = await heldAppend();
    await service.kill();
    await lose(backend);
    expect(await interrupted).to.be.instanceOf(Error);
    await service.start();
    await untilCaughtUp();
    const [{ pendingConfirmation }, { pendingConfirmation: same }] = await Promise.all([
      invite(register),
      invite(register),
    ]);
    expect(same).to.deep.equal(pendingConfirmation);
    await allow(pendingConfirmation);
    const request = await phone.open(String(pendingConfirmation?.sessionId));
    await phone.confirm(request, signer.pin2);
    await expectConfirmedOnce(register);
  });
});
