import { latinRegister } from '../../domain/organization/latinRegister.ts';
import { expect } from 'chai';
import {
  type OrganizationEvent,
  type OrganizationStatus,
  organizationStatuses,
} from '../../domain/organization/events.ts';
import { canonicalLatinName } from '../../domain/organization/latinName.ts';
import {
  type OrganizationChanges,
  type OrganizationCommand,
  organizationDecider,
  type Registration,
} from '../../domain/organization/organization.ts';
import { fold } from '../../domain/shared/decider.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import { given } from '../support/assertions/deciderSpecification.ts';

const now = '2026-01-01T00:00:00.000Z';
const register = '5512345';
const name = 'Тамга ХХК';
const organization = given(organizationDecider);
const registration: Registration = { register, name, nameLatin: 'tamga llc', activate: false };

function registered(status: 'PENDING' | 'ACTIVE'): OrganizationEvent {
  const data = { register, name, nameLatin: 'TAMGA LLC', status, registeredAt: now };
  return { type: 'OrganizationRegistered', data };
}
const pending = registered('PENDING');
const verified: OrganizationEvent = {
  type: 'OrganizationVerified',
  data: { register, verifiedAt: now },
};
const activated: OrganizationEvent = {
  type: 'OrganizationActivated',
  data: { register, activatedAt: now },
};
const suspended: OrganizationEvent = {
  type: 'OrganizationSuspended',
  data: { register, suspendedAt: now },
};
const restored: OrganizationEvent = {
  type: 'OrganizationRestored',
  data: { register, restoredAt: now },
};
const revoked: OrganizationEvent = {
  type: 'OrganizationRevoked',
  data: { register, revokedAt: now },
};

const commands = {
  verify: { type: 'VerifyOrganization', now },
  activate: { type: 'ActivateOrganization', now },
  suspend: { type: 'SuspendOrganization', now },
  restore: { type: 'RestoreOrganization', now },
  revoke: { type: 'RevokeOrganization', now },
} as const satisfies Record<string, OrganizationCommand>;

describe('An organization', () => {
  it('is registered once, PENDING or ACTIVE, its Latin name in upper case', () => {
    const command = { type: 'RegisterOrganization', registration, now } as const;
    organization([]).when(command).then([pending]);
    organization([])
      .when({ ...command, registration: { ...registration, activate: true } })
      .then([registered('ACTIVE')]);
    organization([pending]).when(command).then([]);
    organization([pending])
      .when({ ...command, registration: { ...registration, name: 'Other' } })
      .thenRefuses('CONFLICT');
    organization([])
      .when({ ...command, registration: { ...registration, name: '' } })
      .thenRefuses('INVALID_REQUEST');
  });

  const histories = {
    pending: [pending],
    verified: [pending, verified],
    active: [pending, verified, activated],
    suspendedWhenVerified: [pending, verified, suspended],
    suspended: [registered('ACTIVE'), suspended],
    revoked: [registered('ACTIVE'), revoked],
  } as const;
  const no = 'CONFLICT';
  const table: Readonly<
    Record<
      keyof typeof histories,
      Readonly<Record<keyof typeof commands, OrganizationEvent | typeof no | null>>
    >
  > = {
    pending: { verify: verified, activate: no, suspend: no, restore: no, revoke: revoked },
    verified: {
      verify: null,
      activate: activated,
      suspend: suspended,
      restore: null,
      revoke: revoked,
    },
    active: { verify: null, activate: null, suspend: suspended, restore: null, revoke: revoked },
    suspendedWhenVerified: {
      verify: no,
      activate: no,
      suspend: null,
      restore: restored,
      revoke: revoked,
    },
    suspended: { verify: no, activate: no, suspend: null, restore: restored, revoke: revoked },
    revoked: { verify: no, activate: no, suspend: no, restore: no, revoke: null },
  };

  for (const [state, row] of Object.entries(table)) {
    it(`that is ${state} follows its state machine`, () => {
      for (const [wish, outcome] of Object.entries(row)) {
        const then = organization(histories[state as keyof typeof histories]).when(
          commands[wish as keyof typeof commands],
        );
        if (outcome === 'CONFLICT') then.thenRefuses('CONFLICT');
        else then.then(outcome === null ? [] : [outcome]);
      }
    });
  }

  const targets: Readonly<
    Record<keyof typeof histories, Readonly<Partial<Record<OrganizationStatus, OrganizationEvent>>>>
  > = {
    pending: { VERIFIED: verified, REVOKED: revoked },
    verified: { ACTIVE: activated, SUSPENDED: suspended, REVOKED: revoked },
    active: { SUSPENDED: suspended, REVOKED: revoked },
    suspendedWhenVerified: { VERIFIED: restored, REVOKED: revoked },
    suspended: { ACTIVE: restored, REVOKED: revoked },
    revoked: {},
  };

  for (const [state, row] of Object.entries(targets)) {
    it(`that is ${state} becomes what is wanted only where one step leads`, () => {
      const history = histories[state as keyof typeof histories];
      const { status: present } = fold(organizationDecider, history);
      for (const status of organizationStatuses) {
        const then = organization(history).when({
          type: 'EditOrganization',
          changes: { status },
          now,
        });
        const event = row[status];
        if (event !== undefined) then.then([event]);
        else if (status === present) then.then([]);
        else then.thenRefuses('CONFLICT');
      }
    });
  }

  it('changes name and status together or not at all', () => {
    const edit = (changes: OrganizationChanges) =>
      ({ type: 'EditOrganization', changes, now }) as const;
    const named: OrganizationEvent = {
      type: 'OrganizationNameChanged',
      data: { register, name: 'Шинэ', changedAt: now },
    };
    organization([]).when(edit({})).thenRefuses('ORG_NOT_FOUND');
    organization([pending]).when(edit({})).then([]);
    organization([pending])
      .when(edit({ name, status: 'PENDING' }))
      .then([]);
    organization([pending])
      .when(edit({ name: 'Шинэ', status: 'VERIFIED' }))
      .then([named, verified]);
    organization([pending])
      .when(edit({ name: 'Шинэ', status: 'ACTIVE' }))
      .thenRefuses('CONFLICT');
    organization([pending, named])
      .when(edit({ name: 'Шинэ' }))
      .then([]);
    organization([pending])
      .when(edit({ name: '' }))
      .thenRefuses('INVALID_REQUEST');
    organization([pending])
      .when(edit({ name: 'х'.repeat(201) }))
      .thenRefuses('INVALID_REQUEST');
    organization([pending, revoked])
      .when(edit({ name: 'Шинэ' }))
      .thenRefuses('ORG_NOT_ACTIVE');
  });

  it('is restored to what it was before', () => {
    const after = (events: readonly OrganizationEvent[]) =>
      fold(organizationDecider, events).status;
    expect(after([...histories.suspended, restored])).to.equal('ACTIVE');
    expect(after([...histories.suspendedWhenVerified, restored])).to.equal('VERIFIED');
  });

  it('is not found before it is registered', () => {
    organization([]).when(commands.suspend).thenRefuses('ORG_NOT_FOUND');
  });

  it('has a register that certificates can carry, where a table tells how to write it', () => {
    const written = {
      '5123456': '5123456',
      УБ5123456: 'UB5123456',
      ЩҮӨЬ1: 'SHCHUO1',
      ҐЖА123: null,
      Щ1234567890123456789: 'SHCH1234567890123456789',
      ['Щ'.repeat(17)]: null,
      ЬЬЬ: null,
    };
    for (const [number, latin] of Object.entries(written)) {
      expect(latinRegister(number), number).to.equal(latin);
    }
  });

  it('has a Latin name in the letters of ICAO Doc 9303', () => {
    const confirmed = { confirmedBy: '110000000001', confirmedIn: 's1' };
    const command = (nameLatin: string, confirmedAt = now) =>
      ({ type: 'RenameOrganization', nameLatin, ...confirmed, confirmedAt, now }) as const;
    const rename = (nameLatin: string) => organization([pending]).when(command(nameLatin));
    rename("  khan   bank & o'neil, co.  ").then([
      {
        type: 'OrganizationRenamed',
        data: { register, nameLatin: "KHAN BANK & O'NEIL, CO.", ...confirmed, renamedAt: now },
      },
    ]);
    const renamed = {
      type: 'OrganizationRenamed',
      data: { register, nameLatin: 'OTHER', ...confirmed, renamedAt: now },
    } as const;
    // A confirmation from before the last change does not bring its name back.
    organization([pending, renamed]).when(command('NEW')).thenRefuses('CONFLICT');
    organization([pending, renamed]).when(command('OTHER')).then([]);
    organization([pending, renamed])
      .when(command('NEW', '2026-12-31T00:00:00.000Z'))
      .then([{ ...renamed, data: { ...renamed.data, nameLatin: 'NEW' } }]);
    rename('tamga LLC').then([]);
    for (const wrong of ['', ' ', 'Тамга', 'Münch', '-A', 'A<B', 'A\tB', 'A'.repeat(65)]) {
      rename(wrong).thenRefuses('INVALID_REQUEST');
    }
    organization([pending, revoked]).when(command('NEW')).thenRefuses('ORG_NOT_ACTIVE');
    expect(canonicalLatinName('ß'.replace('ß', 'ss'))).to.equal('SS');
  });

  it('is named by its register in either case, with or without the prefix', () => {
    for (const text of ['уб5512345', ' NTRMN-УБ5512345 ', 'ntrmn-уБ5512345']) {
      expect(readRegister(text)).to.equal('УБ5512345');
    }
    for (const text of ['', 'NTRMN-', 'PNOMN-1234567', '12', '1'.repeat(21), '12 34', 'a/b']) {
      expect(readRegister(text), text).to.equal(null);
    }
  });
});
