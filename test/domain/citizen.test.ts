import type { CitizenEvent, Identity } from '../../domain/citizen/events.ts';
import { type CitizenCommand, citizenDecider } from '../../domain/citizen/citizen.ts';
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
