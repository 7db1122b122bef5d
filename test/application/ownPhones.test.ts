import { expect } from 'chai';
import {
  createOwnPhones,
  type OwnPhonesDependencies,
} from '../../application/citizen/ownPhones.ts';
import type { DeviceData, RelyingPartyData } from '../../application/ports/referenceData.ts';
import type { StartSessionRequest } from '../../application/session/startSession.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';
import { memoryDeliveries } from '../support/doubles/memoryDeliveries.ts';

const civilId = '110000000001';
const context = { actor: { kind: 'citizen', id: civilId } } as never;

function phone(documentNumber: string, status = 'VALID'): DeviceData {
  const authentication = { status, notBefore: '2020', notAfter: '2099' };
  return { documentNumber, civilId, active: true, authentication } as DeviceData;
}

/** @param active phones of the citizen, the newest first */
function world(
  active: readonly DeviceData[],
  answer: object = { state: 'RUNNING' },
  headStartMs = 0,
) {
  const ended: unknown[] = [];
  const enrolled = { documentNumber: 'old', enrolledAt: '2020' };
  let started: object = {};
  const requests: StartSessionRequest[] = [];
  const { clock, jobs, run } = memoryDeliveries();
  const phones = createOwnPhones({
    jobs,
    referenceData: {
      device: (number: string) =>
        Promise.resolve(active.find(({ documentNumber }) => documentNumber === number) ?? null),
      activeDevicesOf: () => Promise.resolve(active),
    },
    relyingParty: {
      get: () => Promise.resolve({ active: true, name: 'Platform' } as RelyingPartyData),
    },
    startSession: (request: StartSessionRequest) => {
      requests.push(request);
      const { interactions, content } = request;
      const { rpChallenge } = content as { readonly rpChallenge: string };
      started = { sessionId: 'session', answerBefore: '2099', interactions, rpChallenge };
      return Promise.resolve(started);
    },
    sessions: { load: () => Promise.resolve({ state: { status: 'COMPLETE', started } }) },
    pollSession: () => Promise.resolve(answer),
    devices: { load: () => Promise.resolve({ state: { status: 'ACTIVE', enrolled } }) },
    citizens: { load: () => Promise.resolve({ state: { status: 'NONE' } }) },
    endDevice: (documentNumber: string, reason: number) =>
      Promise.resolve(ended.push([documentNumber, reason])),
    onFailure: (_name: string, cause: unknown) => ended.push(cause),
    headStartMs,
    enrolmentBlockMs: 0,
    randomness: { timeOrderedUuid: () => 'session' },
    clock,
  } as unknown as OwnPhonesDependencies);
  return {
    ended,
    run,
    stop: phones.stop,
    async asked(documentNumber: string, on: string | null = null) {
      await phones.ask(
        { civilId, documentNumber },
        { reason: 'lost', on },
        (limited) => limited`End`,
        () => context,
      );
      return requests.at(-1);
    },
  };
}

describe('The question whether a phone of a citizen shall end', () => {
  it('is for another phone, the oldest unless one is chosen: it could be refused on the lost one', async () => {
    const { asked } = world([phone('new'), phone('lost'), phone('old')]);
    expect((await asked('lost'))?.target).to.deep.equal({
      type: 'document',
      documentNumber: 'old',
    });
    expect((await asked('lost', 'new'))?.target).to.include({ documentNumber: 'new' });
    expect((await asked('lost', 'lost'))?.target).to.include({ documentNumber: 'old' });
  });

  it('is for the phone itself where no other can answer', async () => {
    const { asked } = world([phone('lost'), phone('old', 'REVOKED')]);
    expect((await asked('lost'))?.target).to.include({ documentNumber: 'lost' });
  });

  it('ends the phone once it was confirmed, though no browser comes for the answer', async () => {
    const confirmation = { documentNumber: 'old' };
    const answer = { state: 'COMPLETE', session: { outcome: { confirmation, endResult: 'OK' } } };
    const { asked, ended } = world([phone('lost'), phone('old')], answer);
    await asked('lost');
    await until(() => ended.length > 0);
    expect(ended).to.deep.equal([['lost', 1]]);
  });

  it('ends a phone that was confirmed before it stops: another process would later', async () => {
    const confirmation = { documentNumber: 'old' };
    const answer = { state: 'COMPLETE', session: { outcome: { confirmation, endResult: 'OK' } } };
    const { asked, ended, stop } = world([phone('lost'), phone('old')], answer, 600_000);
    await asked('lost');
    await stop();
    expect(ended).to.deep.equal([['lost', 1]]);
  });

  it('ends a phone that was confirmed after the process that asked had died', async () => {
    const confirmed = { confirmation: { documentNumber: 'old' }, endResult: 'OK' };
    const answer = { state: 'RUNNING', session: { outcome: confirmed } };
    const { asked, ended, run, stop } = world([phone('lost'), phone('old')], answer);
    await asked('lost');
    await stop();
    await rejection(run());
    expect(ended).to.deep.equal([]);
    answer.state = 'COMPLETE';
    await asked('lost');
    await stop();
    await run();
    expect(ended).to.deep.equal([['lost', 1]]);
  });

  it('is the wish of the citizen, whom refusals before do not keep back', async () => {
    const { asked } = world([phone('lost')]);
    expect(await asked('lost')).to.include({ isCitizensWish: true });
  });
});
