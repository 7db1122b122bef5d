import { expect } from 'chai';
import { createPhone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { maintaining, prepareInstallation } from '../support/installation/installation.ts';
import { liveCitizen } from '../support/installation/liveInstallation.ts';
import { type OcspStatusAt, openOcspStatus } from '../support/installation/ocspStatus.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import {
  createServiceProcess,
  type ServiceProcess,
} from '../support/installation/serviceProcess.ts';

describe('A revocation, with roles in processes of their own', function () {
  this.timeout(60_000);
  const processes: ServiceProcess[] = [];
  let apis: readonly ServiceProcess[];
  let common: { readonly SVC_DATABASE_URL: string };
  let statusAt: OcspStatusAt;

  before(async () => {
    common = { SVC_DATABASE_URL: await migratedDatabase() };
    await prepareInstallation(common);
    const start = async (role: string) => {
      const started = await createServiceProcess({ ...common, SVC_ROLES: role });
      processes.push(started);
      await started.start();
      return started;
    };
    const [first, second] = await Promise.all([start('api'), start('api'), start('projector')]);
    apis = [first, second];
    await start('worker');
    statusAt = await openOcspStatus(first.origin);
  });

  after(() => Promise.all(processes.map((each) => each.stop())));

  /** Until every API says so for every serial. */
  async function untilEverywhere(status: number, serials: readonly string[]): Promise<void> {
    await eventually(async () => {
      for (const api of apis) {
        for (const serial of serials) expect(await statusAt(api.origin, serial)).to.equal(status);
      }
    });
  }

  async function enrol(number: number) {
    const { civilId, card } = liveCitizen(number);
    const baseUrl = apis[0]?.origin ?? '';
    const phone = createPhone({ baseUrl, store: createMemoryPhoneStore() });
    await phone.enrol({ card, pin1: '1234', pin2: '12345' });
    const held = await maintaining(common, (service) => service.listCertificates({ civilId }));
    const serials = held.map(({ serial }) => serial);
    expect(serials).to.have.length(2);
    await untilEverywhere(0, serials);
    return { phone, serials };
  }

  it('can be asked for where discovery says', async () => {
    const [api] = apis;
    const discovery = await fetch(`${api?.origin ?? ''}/.well-known/eid`);
    const { endpoints } = (await discovery.json()) as { endpoints: Record<string, string> };
    expect(endpoints)
      .to.have.property('ocsp')
      .that.matches(/^http:.*\/ocsp$/);
    expect(endpoints)
      .to.have.property('ocspGet')
      .that.matches(/\/ocsp\/\{request\}$/);
  });

  it('is seen at every API within a second, hold and end of hold too', async () => {
    const { serials } = await enrol(0);
    const [serial = ''] = serials;
    const tookMs: number[] = [];
    await maintaining(common, async (service) => {
      for (const [reason, status] of [
        [6, 1],
        [null, 0],
        [1, 1],
      ] as const) {
        const begun = performance.now();
        await (reason === null
          ? service.reinstateCertificate(serial)
          : service.revokeCertificate(serial, reason));
        await untilEverywhere(status, [serial]);
        tookMs.push(performance.now() - begun);
      }
    });
    expect(Math.min(...tookMs), 'the quickest, on a busy machine').to.be.lessThan(1000);
    await untilEverywhere(1, serials);
  });

  it('follows from giving the phone up, at both APIs', async () => {
    const { phone, serials } = await enrol(1);
    await phone.deactivate();
    await untilEverywhere(1, serials);
  });
});
