import { expect } from 'chai';
import { demoCitizens } from '../../main/cli/demo.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  type DemoInstallation,
  type DemoPhone,
  newChallenge,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { call } from '../../main/drill/callers.ts';
import { openOperatorWorld } from '../support/worlds/operatorWorld.ts';
import { aParty } from '../support/given/wishes.ts';

const [first, second, third] = demoCitizens;
if (first === undefined || second === undefined || third === undefined) {
  throw new Error('There are too few demo citizens.');
}

const PARTIES = 50;
const PUSHES_EACH = 20;

interface Party {
  readonly relyingPartyId: string;
  readonly apiSecret: string;
}

describe('F10: push bombing of a citizen', function () {
  this.timeout(300_000);
  let demo: DemoInstallation;
  let phones: readonly [DemoPhone, DemoPhone, DemoPhone];

  before(async () => {
    // Defaults: an empty setting is unset.
    demo = await startDemoInstallation({
      SVC_PUSHES_PER_MINUTE: '',
      SVC_PUSHES_PER_RELYING_PARTY: '',
      SVC_PUSHES_RUNNING: '',
      SVC_PUSH_BACK_OFF: '',
      SVC_PUSH_BLOCK_HOURS: '',
    });
    phones = [
      await demo.enrol(first.civilId),
      await demo.enrol(second.civilId),
      await demo.enrol(third.civilId),
    ];
  });

  after(() => demo.stop());

  const names = new Map<string, string>();
  const register = async (name: string, smartIdStatuses = false): Promise<Party> => {
    const party = await demo.service.registerRelyingParty(
      aParty(name, ['AUTH'], { smartIdStatuses }),
    );
    names.set(party.relyingPartyId, name);
    return party;
  };

  const ask = ({ relyingPartyId, apiSecret }: Party, path: string) =>
    call(`${demo.service.origin}/v3/authentication/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiSecret}` },
      body: {
        relyingPartyUUID: relyingPartyId,
        relyingPartyName: names.get(relyingPartyId),
        certificateLevel: 'QUALIFIED',
        signatureProtocol: 'ACSP_V2',
        ...newChallenge(),
        interactions: [{ type: 'displayTextAndPIN', displayText60: 'Тийм үү?' }],
      },
    });

  const push = (party: Party, identifier: string) =>
    ask(party, `notification/etsi/PNOMN-${encodeURIComponent(identifier)}`);

  const resultOf = async ({ apiSecret }: Party, sessionId: string) => {
    const address = `${demo.service.origin}/v3/session/${sessionId}?timeoutMs=20000`;
    const { body } = await call(address, { headers: { authorization: `Bearer ${apiSecret}` } });
    return body['result'] as { readonly endResult: string };
  };

  it('by 50 relying parties with 20 pushes each reaches the phone at most 5 times', async () => {
    const parties = await Promise.all(
      Array.from({ length: PARTIES }, (_, index) => register(`Банк ${index}`)),
    );
    const statuses: number[] = [];
    for (let round = 0; round < PUSHES_EACH; round += 1) {
      // The civil id and the registration number are one person.
      const identifier = round % 2 === 0 ? first.civilId : first.regNo;
      const answers = await Promise.all(parties.map((party) => push(party, identifier)));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses).to.have.lengthOf(PARTIES * PUSHES_EACH);
    expect(statuses.filter((status) => status === 200)).to.have.lengthOf.within(1, 5);
    expect(new Set(statuses)).to.deep.equal(new Set([200, 429]));
    expect(await phones[0].phone.inbox({ timeoutMs: 0 })).to.have.lengthOf.within(1, 5);
  });

  it('ends with "It was not me": a result of its own, a block of that relying party alone, seen by operators', async () => {
    const [, { phone }] = phones;
    const [bank, shop] = [await register('Банк'), await register('Дэлгүүр')];
    const { body } = await push(bank, second.civilId);
    const sessionId = String(body['sessionID']);
    await phone.refuse(sessionId, 'USER_REFUSED_NOT_ME');
    expect(await resultOf(bank, sessionId)).to.deep.equal({ endResult: 'USER_REFUSED_NOT_ME' });

    await eventually(async () => {
      const blocked = await push(bank, second.regNo);
      expect(blocked.status).to.equal(429);
      expect(Number(blocked.headers.get('retry-after'))).to.be.within(86_000, 86_400);
    });
    expect((await ask(bank, `device-link/etsi/PNOMN-${second.civilId}`)).status).to.equal(200);
    expect((await push(shop, second.civilId)).status).to.equal(200);

    const operators = openOperatorWorld(demo.service.origin);
    await eventually(async () => {
      const session = await operators.call('GET', `/sessions/${sessionId}`);
      expect(session.body).to.include({ endResult: 'USER_REFUSED_NOT_ME' });
      const query = `type=SESSION_NOT_ME&subject=${sessionId}`;
      const { body: audit } = await operators.call('GET', `/audit?${query}`);
      expect(audit['items']).to.have.nested.property('[0].type', 'SESSION_NOT_ME');
    });
    const metrics = await (await fetch(`${demo.service.origin}/metrics`)).text();
    expect(metrics).to.contain('sessions_disowned_total{method="NOTIFICATION"} 1');
    expect(metrics).to.match(/pushes_refused_total\{limit="NOT_ME"\} [1-9]/);
  });

  it('is a plain refusal for clients that know the end results of Smart-ID only', async () => {
    const [, , { phone }] = phones;
    const strict = await register('Smart', true);
    const { body } = await push(strict, third.civilId);
    const sessionId = String(body['sessionID']);
    await phone.refuse(sessionId, 'USER_REFUSED_NOT_ME');
    expect(await resultOf(strict, sessionId)).to.deep.equal({ endResult: 'USER_REFUSED' });
  });
});
