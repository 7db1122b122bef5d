import { expect } from 'chai';
import type { CitizenEvent, Identity } from '../../domain/citizen/events.ts';
import {
  allowedSince,
  type CitizenCommand,
  citizenDecider,
  mayEndOnPage,
  mayEndPhone,
} from '../../domain/citizen/citizen.ts';
import { fold } from '../../domain/shared/decider.ts';
import { given } from '../support/assertions/deciderSpecification.ts';

const civilId = '110000000001';
const identity: Identity = {
  givenName: 'Бат',
  surname: 'Дорж',
  familyName: 'Боржигон',
  givenNameLatin: 'Bat',
  surnameLatin: 'Dorj',
  registrationNumber: 'аа90010112',
  birthDate: '1990-01-01',
  gender: 'M',
  geId: 1,
};
const now = '2026-01-01T00:00:00.000Z';
const verify: CitizenCommand = {
  type: 'RecordVerifiedIdentity',
  civilId,
  method: 'citizenCard',
  identity,
  highestLevel: 'ADVANCED',
  enrolmentTokenHash: 'h1',
  now,
  tokenExpiresAt: '2026-01-01T00:15:00.000Z',
};
const verified: CitizenEvent = {
  type: 'IdentityVerified',
  data: {
    civilId,
    method: 'citizenCard',
    identity,
    highestLevel: 'ADVANCED',
    enrolmentTokenHash: 'h1',
    verifiedAt: now,
    tokenExpiresAt: '2026-01-01T00:15:00.000Z',
  },
};
const enrol: CitizenCommand = {
  type: 'Enrol',
  civilId,
  enrolmentTokenHash: 'h1',
  documentNumber: 'd1',
  now: '2026-01-01T00:10:00.000Z',
  countsSince: null,
};
const enrolled: CitizenEvent = {
  type: 'CitizenEnrolled',
  data: {
    civilId,
    identity,
    enrolmentTokenHash: 'h1',
    documentNumber: 'd1',
    enrolledAt: enrol.now,
  },
};
const citizen = given(citizenDecider);

describe('A citizen', () => {
  it('is identified and enrols a phone with the token', () => {
    citizen([]).when(verify).then([verified]);
    citizen([verified]).when(enrol).then([enrolled]);
  });

  it('enrols the same phone with the same token once', () => {
    citizen([verified, enrolled]).when(enrol).then([]);
  });

  it('cannot use a token twice for another phone', () => {
    citizen([verified, enrolled])
      .when({ ...enrol, documentNumber: 'd2' })
      .thenRefuses('ENROLMENT_TOKEN_INVALID');
  });

  it('cannot use an unknown or expired token', () => {
    citizen([]).when(enrol).thenRefuses('ENROLMENT_TOKEN_INVALID');
    citizen([verified])
      .when({ ...enrol, enrolmentTokenHash: 'h2' })
      .thenRefuses('ENROLMENT_TOKEN_INVALID');
    citizen([verified])
      .when({ ...enrol, now: '2026-01-01T00:15:00.000Z' })
      .thenRefuses('ENROLMENT_TOKEN_INVALID');
  });

  it('O2: cannot use a token of before a restore, whatever the restored log says of it', () => {
    const restored = { ...enrol, countsSince: '2026-01-01T00:05:00.000Z' };
    citizen([verified]).when(restored).thenRefuses('ENROLMENT_TOKEN_INVALID');
    // Interrupted when the backup was made: certificates may have been given out, and their serials with them.
    citizen([verified, enrolled]).when(restored).thenRefuses('ENROLMENT_TOKEN_INVALID');
    citizen([verified])
      .when({ ...enrol, countsSince: now })
      .then([enrolled]);
  });

  it('enrols a further phone, updating the identity where the registry changed', () => {
    const renamed = { ...identity, givenName: 'Болд' };
    const again: CitizenEvent = {
      type: 'IdentityVerified',
      data: { ...verified.data, identity: renamed, enrolmentTokenHash: 'h2' },
    };
    const second = { ...enrol, enrolmentTokenHash: 'h2', documentNumber: 'd2' };
    citizen([verified, enrolled, again])
      .when(second)
      .then([
        {
          type: 'EnrolmentTokenUsed',
          data: { civilId, enrolmentTokenHash: 'h2', documentNumber: 'd2', usedAt: enrol.now },
        },
        { type: 'IdentityUpdated', data: { civilId, identity: renamed, updatedAt: enrol.now } },
      ]);
  });
});

describe('N6: of the phones of one citizen', () => {
  const token = (hash: string, highestLevel: 'ADVANCED' | 'QSCD'): CitizenEvent => ({
    type: 'IdentityVerified',
    data: { ...verified.data, highestLevel, enrolmentTokenHash: hash },
  });
  const used = (hash: string, documentNumber: string): CitizenEvent => ({
    type: 'EnrolmentTokenUsed',
    data: { civilId, enrolmentTokenHash: hash, documentNumber, usedAt: now },
  });
  const phone = (documentNumber: string, enrolledAt: string) => ({ documentNumber, enrolledAt });
  const first = phone('d1', '2026-01-01');
  const second = phone('d2', '2026-01-02');
  const events = [verified, enrolled, token('h2', 'QSCD'), used('h2', 'd2')];

  it('the one enrolled by a chip ends an older one enrolled by a card, and not the other way', () => {
    const state = fold(citizenDecider, events);
    expect(mayEndPhone(state, second, first)).to.equal(true);
    expect(mayEndPhone(state, first, second)).to.equal(false);
  });

  it('the older of two enrolled alike ends the newer, and not the other way', () => {
    const state = fold(citizenDecider, [
      verified,
      enrolled,
      token('h2', 'ADVANCED'),
      used('h2', 'd2'),
    ]);
    expect(mayEndPhone(state, first, second)).to.equal(true);
    expect(mayEndPhone(state, second, first)).to.equal(false);
  });

  it('on the citizen’s page a new one ends an older one only once nobody disowned it in time', () => {
    const state = fold(citizenDecider, [
      verified,
      enrolled,
      token('h2', 'ADVANCED'),
      used('h2', 'd2'),
    ]);
    const { enrolledAt } = second;
    const before = new Date(Date.parse(enrolledAt) - 1).toISOString();
    expect(mayEndOnPage(state, second, first, before), 'disowned still').to.equal(false);
    expect(mayEndOnPage(state, second, first, enrolledAt)).to.equal(true);
    expect(mayEndOnPage(state, first, second, before), 'the older one').to.equal(true);
    expect(mayEndOnPage(state, second, second, before), 'itself').to.equal(true);
  });

  it('“It was not me” is taken back once, and again only when it was said again', () => {
    const allow: CitizenCommand = {
      type: 'AllowPushes',
      civilId,
      relyingPartyId: 'bank',
      disownedAt: '2026-01-02T00:00:00.000Z',
      now: '2026-01-02T01:00:00.000Z',
    };
    const allowed: CitizenEvent = {
      type: 'PushesAllowed',
      data: { civilId, relyingPartyId: 'bank', allowedAt: allow.now },
    };
    citizen([verified, enrolled]).when(allow).then([allowed]);
    citizen([verified, enrolled, allowed]).when(allow).then([]);
    const later = { ...allow, disownedAt: '2026-01-03T00:00:00.000Z' };
    citizen([verified, enrolled, allowed])
      .when({ ...later, now: '2026-01-03T01:00:00.000Z' })
      .then([{ ...allowed, data: { ...allowed.data, allowedAt: '2026-01-03T01:00:00.000Z' } }]);
    citizen([]).when(allow).thenRefuses('PERSON_NOT_FOUND');
    const state = fold(citizenDecider, [verified, enrolled, allowed]);
    expect(allowedSince(state, 'bank')).to.equal(allow.now);
    expect(allowedSince(state, 'shop')).to.equal(null);
  });

  it('one enrolled by a card keeps nobody from enrolling another by a chip', () => {
    const block = (blockedBy: string): CitizenEvent => ({
      type: 'EnrolmentsBlocked',
      data: {
        civilId,
        documentNumber: 'd3',
        blockedBy,
        until: '2026-01-04T00:00:00.000Z',
        blockedAt: now,
      },
    });
    const again = { ...enrol, enrolmentTokenHash: 'h4', documentNumber: 'd4' };
    const at = { civilId, enrolmentTokenHash: 'h4', documentNumber: 'd4', usedAt: enrol.now };
    citizen([...events, block('d1'), token('h4', 'QSCD')])
      .when(again)
      .then([{ type: 'EnrolmentTokenUsed', data: at }]);
    citizen([...events, block('d1'), token('h4', 'ADVANCED')])
      .when(again)
      .thenRefuses('ENROLMENT_BLOCKED');
    citizen([...events, block('d2'), token('h4', 'QSCD')])
      .when(again)
      .thenRefuses('ENROLMENT_BLOCKED');
  });
});
