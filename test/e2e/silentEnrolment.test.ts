import { expect } from 'chai';
import { createPhone } from '../../phone/phone.ts';
import { createMemoryPhoneStore } from '../../phone/phoneStore.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';

describe('F7: enrolling a phone is never silent', function () {
  this.timeout(180_000);
  let demo: DemoInstallation;
  let first: DemoPhone;

  before(async () => {
    demo = await startDemoInstallation();
    first = await demo.enrol('110000000001');
  });

  after(() => demo.stop());

  const newPhone = () =>
    createPhone({ baseUrl: demo.service.origin, store: createMemoryPhoneStore() });
  async function enrolled() {
    const phone = newPhone();
    const { civilId: identifier, cardNumber, birthDate } = first.citizen;
    const card = { identifier, cardNumber, birthDate };
    const { documentNumber } = await phone.enrol({ card, pin1: '4821', pin2: '93716' });
    return { phone, documentNumber };
  }
  const codeOf = async (call: Promise<unknown>) =>
    ((await rejection(call)) as { code?: unknown }).code;
  /** The notice on the first phone of a further one. */
  const noticeOf = (documentNumber: string) =>
    eventually(async () => {
      const notices = await first.phone.notices();
      const found = notices.find(({ device }) => device?.documentNumber === documentNumber);
      if (found === undefined) throw new Error('Nothing was told yet.');
      return found;
    });

  it("the citizen's phone is notified of a new one, which gets no notice and can end no other phone", async () => {
    expect(await first.phone.notices(), 'of the first phone').to.deep.equal([]);
    const second = await enrolled();
    const { noticeId, device } = await noticeOf(second.documentNumber);
    expect(device?.platform).to.equal('SIM');
    expect(await second.phone.notices()).to.deep.equal([]);
    expect(await codeOf(second.phone.disown(noticeId))).to.equal('NOT_FOUND');
    await second.phone.deactivate();
    await eventually(async () => expect(await first.phone.notices()).to.deep.equal([]));
  });

  it('"It was not me" ends the new phone with its certificates, and no other is enrolled for 72 hours', async () => {
    const stranger = await enrolled();
    const { noticeId } = await noticeOf(stranger.documentNumber);
    await first.phone.disown(noticeId);
    expect(await codeOf(stranger.phone.status())).to.equal('DEVICE_NOT_ACTIVE');
    const certificates = await demo.service.listCertificates({
      documentNumber: stranger.documentNumber,
    });
    expect(certificates.map(({ status }) => status)).to.deep.equal(['REVOKED', 'REVOKED']);
    expect(await codeOf(enrolled())).to.equal('ENROLMENT_BLOCKED');
    // Tapping again changes nothing, and the phone that was told goes on working.
    await first.phone.disown(noticeId);
    await first.phone.status();
    const about = { subject: `PNOMN-${first.citizen.civilId}` };
    const audit = await demo.service.organizations.audit(about, 100);
    const blocks = audit.filter(({ type }) => type === 'ENROLMENT_BLOCK');
    expect(blocks.map(({ actor }) => actor)).to.deep.equal([
      { kind: 'device', id: first.documentNumber },
    ]);
  });
});
