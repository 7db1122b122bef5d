import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createPhone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { demoCitizens } from '../../main/cli/demo.ts';
import { rotateMasterKey } from '../../main/composition/masterKeyRotation.ts';
import { startDemoInstallation } from '../support/installation/demoInstallation.ts';
import { createServiceHere } from '../support/installation/serviceHere.ts';
import { masterKey as first } from '../support/installation/serviceProcess.ts';

describe('A service whose master key is rotated while it serves', function () {
  this.timeout(300_000);

  it('enrols meanwhile, and serves with the new one alone afterwards', async () => {
    const second = randomBytes(32).toString('base64');
    const [before, during, after, last] = demoCitizens;
    if (!before || !during || !after || !last) throw new Error('There are too few citizens.');
    const demo = await startDemoInstallation({ SVC_SW_MASTER_KEY_PREVIOUS: second });
    const settings = { SVC_DATABASE_URL: demo.databaseUrl, SVC_DATA_DIR: demo.directory };
    try {
      await demo.enrol(before.civilId);
      const [rotated] = await Promise.all([
        rotateMasterKey(
          readConfig({
            SVC_PROFILE: 'development',
            ...settings,
            SVC_SW_MASTER_KEY: second,
            SVC_SW_MASTER_KEY_PREVIOUS: first,
          }),
          () => undefined,
        ),
        demo.enrol(during.civilId),
      ]);
      expect(rotated.persons).to.be.greaterThan(1);
      await demo.enrol(after.civilId);
      await demo.service.stop();

      const renewed = createServiceHere({ ...settings, SVC_SW_MASTER_KEY: second });
      await renewed.start();
      try {
        for (const { civilId } of [before, during, after]) {
          expect(await renewed.listCertificates({ civilId })).to.not.deep.equal([]);
        }
        // The register's record is found by a fingerprint and read by a key of before.
        const { civilId: identifier, cardNumber, birthDate, pin1, pin2, keyType } = last;
        const store = createMemoryPhoneStore();
        const phone = createPhone({ baseUrl: renewed.origin, store, keyType });
        const card = { identifier, cardNumber, birthDate };
        expect(await phone.enrol({ card, pin1, pin2 })).to.have.property('documentNumber');
      } finally {
        await renewed.stop();
      }
    } finally {
      await demo.stop();
    }
  });
});
