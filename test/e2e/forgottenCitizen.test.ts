import { expect } from 'chai';
import { demoCitizens } from '../../main/cli/demo.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  newChallenge,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { openOperatorWorld, type SignedInOperator } from '../support/worlds/operatorWorld.ts';

describe('A citizen forgotten while the service runs', function () {
  this.timeout(60_000);
  const [{ civilId, name } = { civilId: '', name: '' }] = demoCitizens;
  let demo: DemoInstallation;
  let owner: DemoPhone;
  let answered: string;
  let operator: SignedInOperator;

  /** Answers of operators that stand names beside what they tell of the citizen. */
  const namingPaths = () => [
    `/users/PNOMN-${civilId}`,
    `/sessions?q=PNOMN-${civilId}`,
    `/sessions/${answered}`,
    `/audit?subject=PNOMN-${civilId}`,
    `/names?q=${encodeURIComponent(givenName)}`,
  ];

  /** Tells of each name in an answer, beside it or found, whether it is the citizen's. */
  async function namesAt(path: string): Promise<readonly boolean[]> {
    const { status, body } = await operator.call('GET', path);
    expect(status, path).to.equal(200);
    const named = (body['names'] ?? body['items']) as readonly { readonly name: string | null }[];
    return named.map((each) => each.name?.includes(givenName) === true);
  }

  const push = `/authentication/notification/etsi/PNOMN-${civilId}`;
  const givenName = name.split(' ')[0] ?? '';

  before(async () => {
    demo = await startDemoInstallation();
    owner = await demo.enrol(civilId);
    const { body } = await demo.create(push, newChallenge());
    answered = String(body['sessionID']);
    await owner.phone.confirm(await owner.phone.open(answered), owner.pin1);
    const polled = await demo.poll(answered);
    expect(polled.body).to.have.nested.property('person.firstName', givenName);
    operator = await openOperatorWorld(demo.service.origin).signedIn('SUPER_ADMIN');
    for (const path of namingPaths()) {
      await eventually(async () => expect(await namesAt(path), path).to.include(true));
    }
    await demo.service.forgetPerson(civilId);
  });

  after(() => demo.stop());

  it('is named by no answer any more, also not to a poll repeated at once', async () => {
    const { status, body } = await demo.poll(answered);
    expect(status).to.equal(200);
    expect(body).to.have.nested.property('result.endResult', 'OK');
    expect(body).to.have.nested.property('cert.value', '[forgotten]');
    expect(JSON.stringify(body)).not.to.contain(givenName);
  });

  it('has no name beside what operators are answered', async () => {
    for (const path of namingPaths()) {
      const { status, body } = await operator.call('GET', path);
      expect(status, path).to.equal(200);
      expect(JSON.stringify(body), path).not.to.contain(givenName);
    }
  });

  it('holds no phone and no certificate any more', async () => {
    const held = await demo.service.listCertificates({ civilId });
    expect(held.map(({ type, status, reason }) => [type, status, reason])).to.have.deep.members([
      ['AUTH', 'REVOKED', 5],
      ['SIGN', 'REVOKED', 5],
    ]);
  });

  it('is asked for nothing any more', async () => {
    for (const path of [push, `/authentication/notification/document/${owner.documentNumber}`]) {
      expect((await demo.create(path, newChallenge())).status, path).to.equal(404);
    }
  });

  it('authenticates nowhere any more, not by an anonymous device link either', async () => {
    const { body } = await demo.create('/authentication/device-link/anonymous', newChallenge());
    const refused = await rejection(owner.phone.open(String(body['sessionID'])));
    expect(refused).to.have.property('code', 'DEVICE_NOT_ACTIVE');
    expect((await demo.poll(body['sessionID'], 0)).body).to.deep.equal({ state: 'RUNNING' });
  });
});
