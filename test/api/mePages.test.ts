import { expect } from 'chai';
import { ownFailurePage, sessionPage } from '../../api/me/pages.ts';
import { failurePage } from '../../api/openIdConnect/loginPages.ts';
import { brandOf } from '../../api/pages/brand.ts';
import { againFrom } from '../../api/pages/localTime.ts';
import type { SessionStarted } from '../../domain/session/events.ts';
import { signalsToTell } from '../../domain/session/riskSignals.ts';
import type { StartedSession } from '../../domain/session/session.ts';
import { sessionDecider } from '../../domain/session/session.ts';

const sessionId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

const started: SessionStarted['data'] = {
  sessionId,
  kind: 'AUTHENTICATION',
  flow: 'NOTIFICATION',
  generation: 'G2',
  relyingPartyId: 'c56a4180-65aa-42ec-a945-5fd21dec0538',
  relyingPartyName: 'Library',
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

function pageOf(session: StartedSession): string {
  return sessionPage('en', {
    session,
    askedBy: 'Library',
    phone: null,
    blockedUntil: null,
    helpLine: null,
  }).html(brandOf({}));
}

describe("A session on the citizen's page", () => {
  it('tells its verification code once it is over, not while it may be confirmed', () => {
    const { evolve, initial } = sessionDecider;
    const running = evolve(initial, { type: 'SessionStarted', data: started });
    const over = evolve(running, {
      type: 'SessionExpired',
      data: { completedAt: '2026-01-01T00:02:30.000Z' },
    });
    expect(pageOf(running as StartedSession)).not.to.include('7180');
    expect(pageOf(over as StartedSession)).to.include('7180');
  });

  it('names each document of several that were signed with one PIN', () => {
    const documents = ['AAAA', 'BBBB'].map((digest) => ({ digest, hashType: 'SHA256' as const }));
    const documentTexts = [
      { displayText60: 'Lease', fileName: 'lease.pdf' },
      { displayText60: 'Annex', fileName: null },
    ];
    const { evolve, initial } = sessionDecider;
    const data = { ...started, kind: 'SIGNATURE' as const, documents, documentTexts };
    const page = pageOf(evolve(initial, { type: 'SessionStarted', data }) as StartedSession);
    expect(page).to.include('<dt>File 1</dt>').and.to.include('<dd>Lease lease.pdf</dd>');
    expect(page).to.include('<dt>File 2</dt>').and.to.include('<dd>Annex</dd>');
  });

  it('tells what the relying party learned of the phone, by names and not by values', () => {
    const { evolve, initial } = sessionDecider;
    const by = { documentNumber: 'd1', civilId: '110000000001' };
    const running = evolve(initial, { type: 'SessionStarted', data: started });
    const told = evolve(running, {
      type: 'RiskSignalsTold',
      data: {
        ...by,
        relyingPartyId: started.relyingPartyId,
        names: ['osVersion', 'rooted'],
        signals: signalsToTell(['osVersion'], { osVersion: '15.2' }),
        toldAt: '2026-01-01T00:01:00.000Z',
      },
    });
    const text = 'version of its system, whether its protections are off';
    expect(pageOf(told as StartedSession))
      .to.include(text)
      .and.not.include('15.2');
    expect(pageOf(running as StartedSession)).not.to.include(text);
  });
});

describe('The pages of a limit', () => {
  it('say from when it may be tried again, which is not always a minute', () => {
    const again = againFrom(new Date('2026-01-31T08:15:30Z'), 85_655);
    const own = ownFailurePage('en', 'busy', { again });
    const login = failurePage({ language: 'mn', interaction: null }, 'busy', 'r1', again);

    expect(own.html(brandOf({}))).to.include('You can try again from: 2026-02-01 16:04');
    expect(login.html(brandOf({}))).to.include('Дахин оролдох боломжтой цаг: 2026-02-01 16:04');
  });
});
