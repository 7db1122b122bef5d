import { expect } from 'chai';
import { demoCitizens } from '../../cli/demo.ts';
import { enrolDemoCitizens, prepareDemoOrganization } from '../../cli/demoPeople.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';

describe('F12: the demo, started again after a demo citizen was forgotten', function () {
  this.timeout(120_000);
  const [first, second, third] = demoCitizens.map(({ civilId }) => civilId);
  let demo: DemoInstallation;

  before(async () => {
    demo = await startDemoInstallation();
  });

  after(() => demo.stop());

  const prepare = async () => {
    const { service, directory, relyingPartyId } = demo;
    const { citizens, phones } = await enrolDemoCitizens(service, directory);
    const organization = await prepareDemoOrganization(service, relyingPartyId, citizens);
    return { civilIds: citizens.map(({ civilId }) => civilId), phones, organization };
  };

  it('goes on without them, and others stand in their place', async () => {
    const before = await prepare();
    expect(before.civilIds).to.have.ordered.members(demoCitizens.map(({ civilId }) => civilId));
    expect(before.organization).to.include({ admin: `PNOMN-${first}`, manager: `PNOMN-${second}` });

    await demo.service.forgetPerson(String(first));

    const after = await prepare();
    expect(after.civilIds).to.have.ordered.members(before.civilIds.slice(1));
    expect(after.phones).to.have.length(after.civilIds.length);
    expect(after.organization).to.include({ admin: `PNOMN-${second}`, manager: `PNOMN-${third}` });
  });
});
