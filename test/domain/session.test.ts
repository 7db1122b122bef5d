import { expect } from 'chai';
import type {
  SessionConfirmed,
  SessionEvent,
  SessionStarted,
} from '../../domain/session/events.ts';
import { type SessionCommand, sessionDecider } from '../../domain/session/session.ts';
import { fold } from '../../domain/shared/decider.ts';
import { given } from '../support/assertions/deciderSpecification.ts';

const started: SessionStarted['data'] = {
  sessionId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  kind: 'AUTHENTICATION',
  flow: 'NOTIFICATION',
  generation: 'G1',
  relyingPartyId: 'c56a4180-65aa-42ec-a945-5fd21dec0538',
  relyingPartyName: 'DEMO',
  registeredName: null,
  subsystem: null,
  civilId: '110000000001',
  documentNumber: null,
  certificateLevel: 'QUALIFIED',
  interactions: [{ type: 'displayTextAndPIN', displayText60: 'Log in' }],
  interactionsAsSent: null,
  rpChallenge: 'AAAA',
  digest: null,
  hashType: null,
  vcType: 'alphaNumeric4',
  verificationCode: '7180',
  callbackUrl: null,
  fileName: null,
  onBehalfOf: null,
  deviceLink: null,
  nested: null,
  startedAt: '2026-01-01T00:00:00.000Z',
  answerBefore: '2026-01-01T00:02:30.000Z',
  readableUntil: '2026-01-01T00:10:00.000Z',
  openIdLogin: false,
  documents: null,
  documentTexts: null,
  riskSignals: null,
};
const now = '2026-01-01T00:01:00.000Z';
const owner = { documentNumber: 'd1', civilId: '110000000001' };
const stranger = { documentNumber: 'd2', civilId: '110000000002' };
const begun: SessionEvent = { type: 'SessionStarted', data: started };
const linkBegun: SessionEvent = {
  type: 'SessionStarted',
  data: { ...started, flow: 'DEVICE_LINK', civilId: null },
};
const claimed: SessionEvent = {
  type: 'SessionClaimed',
  data: { ...owner, deviceLinkType: 'QR', claimedAt: now },
};
const choiceBegun: SessionEvent = {
  type: 'SessionStarted',
  data: { ...started, kind: 'CERTIFICATE_CHOICE' },
};
const choose: SessionCommand = {
  type: 'ChooseCertificate',
  by: owner,
  certificateSerial: '0b',
  certificateLevel: 'QUALIFIED',
  now,
};
const chosen: SessionEvent = {
  type: 'CertificateChosen',
  data: { ...owner, certificateSerial: '0b', certificateLevel: 'QUALIFIED', completedAt: now },
};
const confirm: SessionCommand = {
  type: 'ConfirmSession',
  by: owner,
  verificationCode: '7180',
  signature: 'c2ln',
  signatureAlgorithm: 'ecdsa-with-SHA256',
  documents: [],
  certificateSerial: '0a',
  certificateLevel: 'QUALIFIED',
  interactionTypeUsed: 'displayTextAndPIN',
  nested: null,
  now,
};
const confirmed: SessionConfirmed = {
  type: 'SessionConfirmed',
  data: {
    ...owner,
    signature: 'c2ln',
    signatureAlgorithm: 'ecdsa-with-SHA256',
    certificateSerial: '0a',
    certificateLevel: 'QUALIFIED',
    interactionTypeUsed: 'displayTextAndPIN',
    nested: null,
    completedAt: now,
  },
};
const expired: SessionEvent = {
  type: 'SessionExpired',
  data: { completedAt: started.answerBefore },
};
const refuse: SessionCommand = {
  type: 'RefuseSession',
  by: owner,
  endResult: 'USER_REFUSED',
  interaction: null,
  now,
};

const session = given(sessionDecider);

describe('A session', () => {
  it('starts once', () => {
    session([]).when({ type: 'StartSession', started }).then([begun]);
    session([begun]).when({ type: 'StartSession', started }).then([]);
  });

  it('is confirmed by its owner', () => {
    session([begun]).when(confirm).then([confirmed]);
  });

  it('tells the signals asked for, and no others, when the citizen agrees', () => {
    const names = ['platform', 'rooted'] as const;
    const asking = (required: boolean): SessionEvent => ({
      type: 'SessionStarted',
      data: { ...started, riskSignals: { names, required } },
    });
    const sent = { platform: 'ANDROID', osVersion: '15', emulator: false } as const;
    const told: SessionEvent = {
      type: 'RiskSignalsTold',
      data: {
        ...owner,
        relyingPartyId: started.relyingPartyId,
        names,
        signals: {
          platform: 'ANDROID',
          osVersion: null,
          appVersion: null,
          attested: null,
          screenLock: null,
          rooted: null,
          emulator: null,
        },
        toldAt: now,
      },
    };
    const agreeing = { ...confirm, riskSignals: sent };
    session([asking(false)])
      .when(agreeing)
      .then([told, confirmed]);
    session([asking(false)])
      .when(confirm)
      .then([confirmed]);
    session([asking(true)])
      .when(agreeing)
      .then([told, confirmed]);
    session([asking(true)])
      .when(confirm)
      .thenRefuses('INVALID_REQUEST');
    session([asking(true), told, confirmed])
      .when(agreeing)
      .then([]);
    session([begun]).when(agreeing).then([confirmed]);
    session([asking(true)])
      .when({ ...confirm, verificationCode: '0000' })
      .then([
        {
          type: 'SessionFailed',
          data: { documentNumber: 'd1', endResult: 'WRONG_VC', completedAt: now },
        },
      ]);
    const state = fold(sessionDecider, [asking(true), told, confirmed]);
    expect(state.status === 'COMPLETE' && state.signalsTold).to.equal(told.data);
  });

  it('takes a repeated confirmation as already done', () => {
    session([begun, confirmed]).when(confirm).then([]);
  });

  it('refuses a second, different confirmation', () => {
    session([begun, confirmed])
      .when({ ...confirm, signature: 'b3RoZXI=' })
      .thenRefuses('SESSION_ALREADY_COMPLETE');
  });

  it('does not exist for another phone, running or complete', () => {
    session([begun])
      .when({ ...confirm, by: stranger })
      .thenRefuses('SESSION_NOT_FOUND');
    session([begun, confirmed])
      .when({ ...confirm, by: stranger })
      .thenRefuses('SESSION_NOT_FOUND');
  });

  it('fails with WRONG_VC when the codes differ', () => {
    session([begun])
      .when({ ...confirm, verificationCode: '0000' })
      .then([
        {
          type: 'SessionFailed',
          data: { documentNumber: 'd1', endResult: 'WRONG_VC', completedAt: now },
        },
      ]);
  });

  it('takes no answer at the deadline or later', () => {
    session([begun])
      .when({ ...confirm, now: started.answerBefore })
      .thenRefuses('SESSION_EXPIRED');
  });

  it('expires at the deadline, not before, and not after an answer', () => {
    session([begun]).when({ type: 'ExpireSession', now: '2026-01-01T00:02:29.999Z' }).then([]);
    session([begun]).when({ type: 'ExpireSession', now: started.answerBefore }).then([expired]);
    session([begun, confirmed]).when({ type: 'ExpireSession', now: started.answerBefore }).then([]);
    session([begun, expired]).when({ type: 'ExpireSession', now: started.readableUntil }).then([]);
  });

  it('is taken back by its relying party, once, while it runs', () => {
    const { relyingPartyId } = started;
    const cancel = { type: 'CancelSession', relyingPartyId, now } as const;
    const cancelled: SessionEvent = {
      type: 'SessionCancelled',
      data: { relyingPartyId, completedAt: now },
    };
    session([begun]).when(cancel).then([cancelled]);
    session([begun, cancelled]).when(cancel).then([]);
    session([begun, cancelled]).when(confirm).thenRefuses('SESSION_ALREADY_COMPLETE');
    const login: SessionEvent = { ...begun, data: { ...started, openIdLogin: true } };
    session([login]).when(cancel).thenRefuses('SESSION_NOT_FOUND');
    session([begun, confirmed]).when(cancel).then([]);
    session([begun])
      .when({ ...cancel, now: started.answerBefore })
      .then([expired]);
    session([begun])
      .when({ ...cancel, relyingPartyId: 'another' })
      .thenRefuses('SESSION_NOT_FOUND');
    session([]).when(cancel).thenRefuses('SESSION_NOT_FOUND');
    const state = fold(sessionDecider, [begun, cancelled]);
    expect(state.status === 'COMPLETE' && state.outcome.endResult).to.equal('CANCELLED_BY_RP');
  });

  it('is refused once', () => {
    const refused: SessionEvent = {
      type: 'SessionRefused',
      data: {
        documentNumber: 'd1',
        endResult: 'USER_REFUSED',
        interaction: null,
        completedAt: now,
      },
    };
    session([begun]).when(refuse).then([refused]);
    session([begun, refused]).when(refuse).then([]);
    session([begun, refused]).when(confirm).thenRefuses('SESSION_ALREADY_COMPLETE');
  });

  it('F10: is disowned once, by name of the relying party, with a result that begins as a refusal', () => {
    const disown = { ...refuse, endResult: 'USER_REFUSED_NOT_ME' } as const;
    const { relyingPartyId } = started;
    const disowned: SessionEvent = {
      type: 'SessionDisowned',
      data: { ...owner, relyingPartyId, completedAt: now },
    };
    session([begun]).when(disown).then([disowned]);
    session([begun, disowned]).when(disown).then([]);
    session([begun, disowned]).when(refuse).thenRefuses('SESSION_ALREADY_COMPLETE');
  });

  it('by device link answers only to the phone that claimed it', () => {
    session([linkBegun]).when(confirm).thenRefuses('SESSION_NOT_FOUND');
    const claim = { type: 'ClaimSession', by: owner, deviceLinkType: 'QR', now } as const;
    session([linkBegun]).when(claim).then([claimed]);
    session([linkBegun, claimed]).when(claim).then([]);
    session([linkBegun, claimed])
      .when({ ...claim, by: stranger })
      .thenRefuses('SESSION_ALREADY_CLAIMED');
    session([linkBegun, claimed]).when(confirm).then([confirmed]);
  });

  it('keeps what the answer to a nested request was made of', () => {
    const nested = {
      flowType: 'Notification',
      userChallenge: 'GnsWXXEjTCKR89fj9uo5u5ReBZ9JR7_pezLAI5jMS00',
      pss: { hashAlgorithm: 'SHA3-512', saltLength: 64 },
    } as const;
    const answered = { ...confirmed.data, nested };
    session([begun])
      .when({ ...confirm, nested })
      .then([{ type: 'SessionConfirmed', data: answered }]);
    const state = fold(sessionDecider, [begun, { type: 'SessionConfirmed', data: answered }]);
    expect(state.status === 'COMPLETE' && state.outcome.confirmation).to.deep.equal(answered);
  });

  it('is answered by a certificate, once, when a certificate was asked for', () => {
    session([choiceBegun]).when(choose).then([chosen]);
    session([choiceBegun, chosen]).when(choose).then([]);
    session([choiceBegun]).when(confirm).thenRefuses('INVALID_REQUEST');
    session([begun]).when(choose).thenRefuses('INVALID_REQUEST');
    session([choiceBegun])
      .when({ ...choose, by: stranger })
      .thenRefuses('SESSION_NOT_FOUND');
    session([choiceBegun])
      .when({ ...choose, now: started.answerBefore })
      .thenRefuses('SESSION_EXPIRED');
    const state = fold(sessionDecider, [choiceBegun, chosen]);
    expect(state).to.deep.include({ status: 'COMPLETE' });
    expect(state.status === 'COMPLETE' && state.outcome).to.deep.include({
      endResult: 'OK',
      confirmation: null,
      chosen: chosen.data,
    });
  });

  it('keeps its first outcome whatever events follow', () => {
    const state = fold(sessionDecider, [begun, confirmed, expired]);
    expect(state.status === 'COMPLETE' && state.outcome.endResult).to.equal('OK');
  });
});
