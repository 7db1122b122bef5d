import { expect } from 'chai';
import { createPhone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { PinError } from '../../apps/phone/pinKeys.ts';
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

  it('N6: each phone hears of the other, and the newer of two enrolled alike can end no other', async () => {
    expect(await first.phone.notices(), 'of the first phone').to.deep.equal([]);
    const second = await enrolled();
    const told = await noticeOf(second.documentNumber);
    expect(told.device).to.include({ platform: 'SIM', mayEnd: true });
    const heard = await eventually(async () => {
      const [notice] = await second.phone.notices();
      if (notice === undefined) throw new Error('Nothing was told yet.');
      return notice;
    });
    expect(heard.device).to.include({ documentNumber: first.documentNumber, mayEnd: false });
    expect(await codeOf(second.phone.disown(told, '4821'))).to.equal('NOT_FOUND');
    expect(await codeOf(second.phone.disown(heard, '4821'))).to.equal('PERMISSION_DENIED');
    await first.phone.status();
    await second.phone.deactivate();
    await eventually(async () => expect(await first.phone.notices()).to.deep.equal([]));
  });

  it('"It was not me" ends the new phone with its certificates, and no other is enrolled for 72 hours', async () => {
    const stranger = await enrolled();
    const notice = await noticeOf(stranger.documentNumber);
    const wrongPin = await rejection(first.phone.disown(notice, '0000'));
    expect(wrongPin, 'N6: a found phone ends none').to.be.instanceOf(PinError);
    const another = {
      documentNumber: first.documentNumber,
      platform: 'SIM',
      enrolledAt: '',
      mayEnd: true,
    };
    const signedForAnother = first.phone.disown({ ...notice, device: another }, first.citizen.pin1);
    expect(await codeOf(signedForAnother)).to.equal('SIGNATURE_INVALID');
    await stranger.phone.status();
    await first.phone.disown(notice, first.citizen.pin1);
    expect(await codeOf(stranger.phone.status())).to.equal('DEVICE_NOT_ACTIVE');
    const certificates = await demo.service.listCertificates({
      documentNumber: stranger.documentNumber,
    });
    expect(certificates.map(({ status }) => status)).to.deep.equal(['REVOKED', 'REVOKED']);
    expect(await codeOf(enrolled())).to.equal('ENROLMENT_BLOCKED');
    // Tapping again changes nothing, and the phone that was told goes on working.
    await first.phone.disown(notice, first.citizen.pin1);
    await first.phone.status();
    const about = { subject: `PNOMN-${first.citizen.civilId}` };
    const audit = await demo.service.organizations.audit(about, 100);
    const blocks = audit.filter(({ type }) => type === 'ENROLMENT_BLOCK');
    expect(blocks.map(({ actor }) => actor)).to.deep.equal([
      { kind: 'device', id: first.documentNumber },
    ]);
  });
});
