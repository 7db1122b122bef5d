import { expect } from 'chai';
import type { RepresentationEvent, RightTerms } from '../../domain/representation/events.ts';
import { expectRight, representationDecider } from '../../domain/representation/representation.ts';
import { fold } from '../../domain/shared/decider.ts';
import type { Refusal } from '../../domain/shared/refusal.ts';
import { given } from '../support/assertions/deciderSpecification.ts';

const now = '2026-01-01T00:00:00.000Z';
const later = '2026-02-01T00:00:00.000Z';
const register = '5512345';
const [bat, saran, tuya] = ['110000000001', '110000000002', '110000000003'] as const;
const [portal, stranger] = ['portal', 'stranger'] as const;
const rights = given(representationDecider);

function terms(civilId: string, changes: Partial<RightTerms> = {}): RightTerms {
  return {
    civilId,
    rightType: 'ADMIN',
    role: null,
    source: 'MANUAL',
    evidenceRef: null,
    validFrom: now,
    validTo: null,
    ...changes,
  };
}
function granted(civilId: string, changes: Partial<RightTerms> = {}): RepresentationEvent {
  return {
    type: 'RightGranted',
    data: { ...terms(civilId, changes), register, linkedBy: null, grantedAt: now },
  };
}
const linked = (civilId: string, linkedBy: string = portal): RepresentationEvent => ({
  type: 'RightGranted',
  data: { ...terms(civilId), register, linkedBy, grantedAt: now },
});
const requested = (
  civilId: string,
  sessionId = 'a1',
  linkedBy: string = portal,
): RepresentationEvent => ({
  type: 'RightRequested',
  data: { ...terms(civilId), register, linkedBy, sessionId, requestedAt: now },
});
const allowed = (civilId: string, sessionId = 'a1'): RepresentationEvent => ({
  type: 'RightConfirmed',
  data: { register, civilId, sessionId, confirmedBy: bat, confirmedAt: now },
});
const invited = (civilId: string, session = 1): RepresentationEvent => ({
  type: 'SignerInvited',
  data: {
    register,
    civilId,
    role: 'Нягтлан',
    linkedBy: portal,
    invitedBy: bat,
    sessionId: `s${session}`,
    adminSessionId: `a${session}`,
    invitedAt: now,
  },
});
const confirmed: RepresentationEvent = {
  type: 'SignerConfirmed',
  data: { register, civilId: saran, sessionId: 's1', confirmedBy: bat, confirmedAt: now },
};
const withdrawn = (civilId: string, wasConfirmed = true): RepresentationEvent => ({
  type: 'RightWithdrawn',
  data: { register, civilId, wasConfirmed, withdrawnAt: now },
});

const grant = (civilId: string, changes: Partial<RightTerms> = {}) =>
  ({ type: 'GrantRight', register, civilId, terms: terms(civilId, changes), now }) as const;
const withdraw = (civilId: string, at = now, endedBy: string | null = null) =>
  ({ type: 'WithdrawRight', register, civilId, endedBy, now: at }) as const;
const link = (civilId: string, sessionId = 'a1', linkedBy: string = portal) =>
  ({
    type: 'LinkAdmin',
    register,
    civilId,
    terms: terms(civilId),
    linkedBy,
    sessionId,
    now,
    after: null,
  }) as const;
const allow = (civilId: string, adminSessionId: string, confirmedBy: string = bat) =>
  ({ type: 'ConfirmRight', register, civilId, adminSessionId, confirmedBy, now }) as const;
const invite = (civilId: string, invitedBy: string = bat, at = now) => ({
  type: 'InviteSigner' as const,
  register,
  civilId,
  invitedBy,
  linkedBy: portal,
  role: 'Нягтлан',
  sessionId: 's1',
  adminSessionId: 'a1',
  now: at,
});
const inviteAgain = (civilId: string) =>
  ({
    ...invite(civilId),
    type: 'InviteSignerAgain' as const,
    role: null,
    sessionId: 's2',
    adminSessionId: 'a2',
  }) as const;
const confirm = (sessionId: string, adminSessionId = 'a1', confirmedBy: string = bat) =>
  ({
    type: 'ConfirmSigner',
    register,
    civilId: saran,
    sessionId,
    adminSessionId,
    confirmedBy,
    now,
  }) as const;
const remove = (civilId: string, removedBy: string = bat, endedBy: string = portal) =>
  ({ type: 'RemoveSigner', register, civilId, endedBy, removedBy, now }) as const;

describe('Rights to represent an organization', () => {
  it('are granted once, and again when they change', () => {
    rights([])
      .when(grant(bat))
      .then([granted(bat)]);
    rights([granted(bat)])
      .when(grant(bat))
      .then([]);
    rights([granted(bat)])
      .when(grant(bat, { validFrom: later }))
      .then([]);
    rights([granted(bat)])
      .when(grant(bat, { role: 'Захирал' }))
      .then([granted(bat, { role: 'Захирал' })]);
    rights([granted(bat), withdrawn(bat)])
      .when(grant(bat))
      .then([granted(bat)]);
    rights([])
      .when(grant(bat, { validTo: now }))
      .thenRefuses('INVALID_REQUEST');
  });

  it('leave an organization its last ADMIN', () => {
    rights([granted(bat)])
      .when(withdraw(bat))
      .thenRefuses('LAST_ADMIN');
    rights([granted(bat), granted(saran, { rightType: 'MANAGER' })])
      .when(withdraw(bat))
      .thenRefuses('LAST_ADMIN');
    rights([granted(bat), granted(saran)])
      .when(withdraw(bat))
      .then([withdrawn(bat)]);
    rights([granted(bat)])
      .when(grant(bat, { rightType: 'MANAGER' }))
      .thenRefuses('LAST_ADMIN');
    for (const over of [
      { validFrom: '2025-01-01T00:00:00.000Z', validTo: now },
      { validFrom: later, role: 'Захирал' },
    ]) {
      rights([granted(bat)])
        .when(grant(bat, over))
        .thenRefuses('LAST_ADMIN');
      rights([granted(bat), granted(saran)])
        .when(grant(bat, over))
        .then([granted(bat, over)]);
    }
  });

  it('count an ADMIN whose right has ended for nothing', () => {
    const ended = granted(saran, { validTo: later });
    rights([granted(bat), ended])
      .when(withdraw(bat, later))
      .thenRefuses('LAST_ADMIN');
    rights([granted(bat), ended])
      .when(withdraw(bat, '2026-01-31T23:59:59.999Z'))
      .then([
        {
          type: 'RightWithdrawn',
          data: {
            register,
            civilId: bat,
            wasConfirmed: true,
            withdrawnAt: '2026-01-31T23:59:59.999Z',
          },
        },
      ]);
  });

  it('are withdrawn once', () => {
    rights([granted(bat), granted(saran), withdrawn(saran)])
      .when(withdraw(saran))
      .then([]);
    rights([granted(bat)])
      .when(withdraw(tuya))
      .then([]);
  });

  it('are offered by an ADMIN alone', () => {
    rights([granted(bat)])
      .when(invite(saran))
      .then([invited(saran)]);
    rights([granted(bat), granted(tuya, { rightType: 'MANAGER' })])
      .when(invite(saran, tuya))
      .thenRefuses('NOT_ORG_ADMIN');
    rights([granted(bat, { validTo: later })])
      .when(invite(saran, bat, later))
      .thenRefuses('NOT_ORG_ADMIN');
    rights([]).when(invite(saran)).thenRefuses('NOT_ORG_ADMIN');
  });

  it('are not offered to who has one, oneself included', () => {
    rights([granted(bat)])
      .when(invite(bat))
      .thenRefuses('CONFLICT');
    rights([granted(bat), invited(saran), confirmed])
      .when(invite(saran))
      .thenRefuses('CONFLICT');
    rights([granted(bat), granted(saran, { validFrom: later })])
      .when(invite(saran))
      .thenRefuses('CONFLICT');
    rights([granted(bat), invited(saran)])
      .when(invite(saran))
      .then([]);
    rights([granted(bat), invited(saran), withdrawn(saran)])
      .when(invite(saran))
      .then([invited(saran)]);
  });

  it('are offered again while they are not confirmed', () => {
    rights([granted(bat), invited(saran)])
      .when(inviteAgain(saran))
      .then([invited(saran, 2)]);
    rights([granted(bat), invited(saran), confirmed])
      .when(inviteAgain(saran))
      .thenRefuses('CONFLICT');
    rights([granted(bat)])
      .when(inviteAgain(saran))
      .thenRefuses('NOT_FOUND');
  });

  it('are confirmed once, in any session they were offered in', () => {
    rights([granted(bat), invited(saran)])
      .when(confirm('s1'))
      .then([confirmed]);
    rights([granted(bat), invited(saran), invited(saran, 2)])
      .when(confirm('s1'))
      .then([confirmed]);
    rights([granted(bat), invited(saran)])
      .when(confirm('other'))
      .then([]);
    rights([granted(bat), invited(saran), confirmed])
      .when(confirm('s1'))
      .then([]);
    rights([granted(bat), invited(saran), withdrawn(saran)])
      .when(confirm('s1'))
      .then([]);
  });

  it('of signers are ended by an ADMIN, confirmed or not', () => {
    for (const history of [[invited(saran)], [invited(saran), confirmed]]) {
      rights([granted(bat), ...history])
        .when(remove(saran))
        .then([withdrawn(saran, history.length === 2)]);
    }
    rights([granted(bat)])
      .when(remove(tuya))
      .then([]);
    rights([granted(bat), invited(saran)])
      .when(remove(saran, tuya))
      .thenRefuses('NOT_ORG_ADMIN');
    rights([granted(bat), granted(saran)])
      .when(remove(saran))
      .thenRefuses('CONFLICT');
  });

  it('say why one does not count', () => {
    const code = (events: readonly RepresentationEvent[], at: string) => {
      try {
        expectRight(fold(representationDecider, events), saran, at);
        return 'OK';
      } catch (error) {
        return (error as Refusal).code;
      }
    };
    const ending = granted(saran, { validTo: later });
    expect(code([], now)).to.equal('REPRESENTATION_DENIED');
    expect(code([invited(saran)], now)).to.equal('REPRESENTATION_PENDING');
    expect(code([granted(saran), withdrawn(saran)], now)).to.equal('REPRESENTATION_REVOKED');
    expect(code([ending], '2026-01-31T23:59:59.999Z')).to.equal('OK');
    expect(code([ending], later)).to.equal('REPRESENTATION_EXPIRED');
    expect(code([granted(saran)], '2025-12-31T23:59:59.999Z')).to.equal('REPRESENTATION_PENDING');
    expect(code([granted(saran)], now)).to.equal('OK');
  });
});

describe('F5: an organization is not taken over', () => {
  it('its first ADMIN is linked, a further one waits for an ADMIN', () => {
    rights([])
      .when(link(bat))
      .then([linked(bat)]);
    rights([linked(bat)])
      .when(link(bat, 'a1', stranger))
      .then([]);
    rights([linked(bat)])
      .when(link(saran))
      .then([requested(saran)]);
    rights([linked(bat), requested(saran)])
      .when(link(saran, 'a2'))
      .then([]);
    rights([linked(bat), requested(saran)])
      .when({ ...link(saran, 'a2'), after: 'a1' })
      .then([requested(saran, 'a2')]);
    rights([granted(bat, { validTo: now })])
      .when(link(saran))
      .then([linked(saran)]);
  });

  it('an ADMIN in place confirms, in a session that asks for this right', () => {
    const waiting = [linked(bat), requested(saran)];
    rights(waiting)
      .when(allow(saran, 'a1'))
      .then([allowed(saran)]);
    rights(waiting).when(allow(saran, 'other')).then([]);
    rights(waiting)
      .when(allow(saran, 'a1', saran))
      .then([]);
    rights(waiting)
      .when(allow(saran, 'a1', tuya))
      .then([]);
    rights([...waiting, withdrawn(saran)])
      .when(allow(saran, 'a1'))
      .then([]);
    rights([...waiting, requested(saran, 'a2', stranger)])
      .when(allow(saran, 'a1'))
      .then([]);
    const state = fold(representationDecider, [...waiting, allowed(saran)]);
    expect(state.rights.get(saran)).to.include({ status: 'ACTIVE', linkedBy: portal });
    expect(state.requests.size).to.equal(0);
  });

  it('a right in force stays while another is asked for', () => {
    const state = fold(representationDecider, [
      ...[linked(bat), granted(saran, { rightType: 'MANAGER' }), requested(saran)],
    ]);
    expect(expectRight(state, saran, now).rightType).to.equal('MANAGER');
  });

  it('a signer who agreed waits for an ADMIN as well', () => {
    rights([granted(bat), invited(saran)])
      .when(confirm('s1', 'other'))
      .then([]);
    rights([granted(bat), invited(saran)])
      .when(confirm('s1', 'a1', saran))
      .then([]);
  });

  it('a relying party unlinks only what it linked', () => {
    const history = [linked(bat), linked(saran)];
    rights(history)
      .when(withdraw(saran, now, stranger))
      .thenRefuses('PERMISSION_DENIED');
    rights(history)
      .when(withdraw(saran, now, portal))
      .then([withdrawn(saran)]);
    rights([granted(bat), granted(saran)])
      .when(withdraw(saran, now, portal))
      .thenRefuses('PERMISSION_DENIED');
    rights([granted(bat), invited(saran), confirmed])
      .when(remove(saran, bat, stranger))
      .thenRefuses('PERMISSION_DENIED');
    rights([granted(bat), requested(saran)])
      .when(withdraw(saran, now, portal))
      .then([withdrawn(saran, false)]);
    rights([granted(bat), requested(saran)])
      .when(withdraw(saran, now, stranger))
      .thenRefuses('PERMISSION_DENIED');
  });
});
