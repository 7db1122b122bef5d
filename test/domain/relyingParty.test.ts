import { expect } from 'chai';
import type {
  RelyingPartyEvent,
  RelyingPartyRegistered,
} from '../../domain/relyingParty/events.ts';
import {
  initialRelyingPartySettings,
  type RelyingPartySettings,
} from '../../domain/relyingParty/settings.ts';
import {
  displayedName,
  maxAliases,
  registeredNameBeside,
} from '../../domain/relyingParty/names.ts';
import { relyingPartyDecider } from '../../domain/relyingParty/relyingParty.ts';
import {
  maxSubsystems,
  type SubsystemChange,
  subsystemOfSession,
} from '../../domain/relyingParty/subsystems.ts';
import { fold } from '../../domain/shared/decider.ts';
import { given } from '../support/assertions/deciderSpecification.ts';

const now = '2026-01-01T00:00:00.000Z';
const settings: RelyingPartySettings = {
  ...initialRelyingPartySettings,
  name: 'Банк',
  callbackHosts: ['bank.example.mn'],
  permissions: ['AUTH', 'SIGN'],
};
const registered: RelyingPartyRegistered['data'] = {
  ...settings,
  otherNames: false,
  relyingPartyId: 'c56a4180-65aa-42ec-a945-5fd21dec0538',
  secretHash: 'aa',
  registeredAt: now,
};
const begun: RelyingPartyEvent = { type: 'RelyingPartyRegistered', data: registered };
const { relyingPartyId } = registered;
const party = given(relyingPartyDecider);

describe('A relying party', () => {
  it('is registered once', () => {
    party([]).when({ type: 'RegisterRelyingParty', registered }).then([begun]);
    party([begun]).when({ type: 'RegisterRelyingParty', registered }).then([]);
    party([begun])
      .when({ type: 'RegisterRelyingParty', registered: { ...registered, secretHash: 'bb' } })
      .thenRefuses('CONFLICT');
  });

  it('has a name of at most 32 bytes of UTF-8', () => {
    const withName = (name: string) =>
      party([]).when({ type: 'RegisterRelyingParty', registered: { ...registered, name } });
    withName('Ж'.repeat(17)).thenRefuses('INVALID_REQUEST');
    withName('').thenRefuses('INVALID_REQUEST');
    const name = 'Ж'.repeat(16);
    withName(name).then([{ type: 'RelyingPartyRegistered', data: { ...registered, name } }]);
  });

  it('F3: has a name that reads as it is', () => {
    for (const name of ['Kh\u0430n Bank', 'Khan\u202eknaB', 'Khan\u200bBank', 'Khan\nBank']) {
      party([])
        .when({ type: 'RegisterRelyingParty', registered: { ...registered, name } })
        .thenRefuses('INVALID_REQUEST');
      party([begun])
        .when({ type: 'EditRelyingParty', changes: { name }, now })
        .thenRefuses('INVALID_REQUEST');
      party([begun])
        .when({ type: 'SetNames', aliases: [name], otherNames: false, now })
        .thenRefuses('INVALID_REQUEST');
    }
  });

  it('F3: is given names beside the registered one, all at once', () => {
    const named = (aliases: readonly string[], otherNames: boolean): RelyingPartyEvent => ({
      type: 'RelyingPartyNamesSet',
      data: { relyingPartyId, aliases, otherNames, setAt: now },
    });
    const set = (aliases: readonly string[], otherNames = false) =>
      ({ type: 'SetNames', aliases, otherNames, now }) as const;
    party([begun])
      .when(set(['Bank', 'Банк ХХК', 'Bank']))
      .then([named(['Bank', 'Банк ХХК'], false)]);
    party([begun, named(['A', 'B'], false)])
      .when(set(['B', 'A']))
      .then([]);
    party([begun, named(['A', 'B'], false)])
      .when(set(['B']))
      .then([named(['B'], false)]);
    party([begun])
      .when(set([], true))
      .then([named([], true)]);
    party([begun])
      .when(set(['Ж'.repeat(17)]))
      .thenRefuses('INVALID_REQUEST');
    party([begun])
      .when(set(['']))
      .thenRefuses('INVALID_REQUEST');
    const many = Array.from({ length: maxAliases + 1 }, (_, index) => `Name ${index}`);
    party([begun]).when(set(many)).thenRefuses('INVALID_REQUEST');
    party([]).when(set([])).thenRefuses('RELYING_PARTY_NOT_FOUND');
  });

  it('F3: asks under its own names; another is refused, or shown after the registered one', () => {
    const own = { name: 'Small Shop', aliases: ['Shop'], otherNames: false };
    for (const sent of ['Small Shop', 'Shop']) {
      expect(registeredNameBeside(sent, own)).to.equal(null);
      expect(displayedName({ relyingPartyName: sent, registeredName: null })).to.equal(sent);
    }
    for (const sent of ['Khan Bank', 'small shop', 'Small Shop ', '']) {
      expect(() => registeredNameBeside(sent, own), sent).to.throw('INVALID_REQUEST');
    }
    const before = { ...own, otherNames: true };
    expect(registeredNameBeside('Shop', before)).to.equal(null);
    expect(registeredNameBeside('Khan Bank', before)).to.equal('Small Shop');
    expect(() => registeredNameBeside('Kh\u0430n Bank', before)).to.throw('INVALID_REQUEST');
    const shown = { relyingPartyName: 'Khan Bank', registeredName: 'Small Shop' };
    expect(displayedName(shown)).to.equal('Small Shop («Khan Bank»)');
  });

  it('rotates its secret', () => {
    const rotated: RelyingPartyEvent = {
      type: 'SecretRotated',
      data: { relyingPartyId, secretHash: 'bb', rotatedAt: now },
    };
    party([begun]).when({ type: 'RotateSecret', secretHash: 'bb', now }).then([rotated]);
    party([begun, rotated]).when({ type: 'RotateSecret', secretHash: 'bb', now }).then([]);
  });

  it('hands a new secret over to who opens the link first, until it is too old or another is made', () => {
    const until = '2026-01-02T00:00:00.000Z';
    const offered: RelyingPartyEvent = {
      type: 'SecretOffered',
      data: { relyingPartyId, tokenHash: 'tt', until, offeredAt: now },
    };
    const rotated: RelyingPartyEvent = {
      type: 'SecretRotated',
      data: { relyingPartyId, secretHash: 'bb', rotatedAt: now },
    };
    const offer = { type: 'OfferSecret', tokenHash: 'tt', until, now } as const;
    const openedBy = { tokenHash: 'tt', countsSince: null };
    const take = { type: 'RotateSecret', secretHash: 'bb', openedBy, now } as const;
    const other: RelyingPartyEvent = { ...offered, data: { ...offered.data, tokenHash: 'uu' } };
    const deactivated: RelyingPartyEvent = {
      type: 'RelyingPartyDeactivated',
      data: { relyingPartyId, deactivatedAt: now },
    };
    const rotatedBefore: RelyingPartyEvent = {
      ...rotated,
      data: { ...rotated.data, secretHash: 'cc' },
    };
    party([begun]).when(offer).then([offered]);
    party([begun, deactivated]).when(offer).thenRefuses('CONFLICT');
    party([begun, offered]).when(take).then([rotated]);
    party([begun, offered])
      .when({ ...take, now: until })
      .thenRefuses('NOT_FOUND');
    party([begun]).when(take).thenRefuses('NOT_FOUND');
    const restored = (countsSince: string) => ({ ...take, openedBy: { ...openedBy, countsSince } });
    party([begun, offered]).when(restored(now)).then([rotated]);
    party([begun, offered]).when(restored(until)).thenRefuses('NOT_FOUND');
    for (const end of [other, deactivated, rotatedBefore]) {
      party([begun, offered, end]).when(take).thenRefuses('NOT_FOUND');
    }
  });

  it('notes each subsystem once', () => {
    const seen: RelyingPartyEvent = {
      type: 'SubsystemSeen',
      data: { relyingPartyId, subsystem: 'loans', seenAt: now },
    };
    party([begun]).when({ type: 'NoteSubsystem', subsystem: 'loans', now }).then([seen]);
    party([begun, seen]).when({ type: 'NoteSubsystem', subsystem: 'loans', now }).then([]);
  });

  it('has a bounded number of subsystems', () => {
    const many = Array.from({ length: maxSubsystems }, (_, index): RelyingPartyEvent => ({
      type: 'SubsystemSeen',
      data: { relyingPartyId, subsystem: `app ${index}`, seenAt: now },
    }));
    const crowded = party([begun, ...many]);
    crowded
      .when({ type: 'NoteSubsystem', subsystem: 'one more', now })
      .thenRefuses('INVALID_REQUEST');
    crowded.when({ type: 'NoteSubsystem', subsystem: 'app 7', now }).then([]);
  });

  it('is deactivated once, and only when it exists', () => {
    const command = { type: 'DeactivateRelyingParty', now } as const;
    const event: RelyingPartyEvent = {
      type: 'RelyingPartyDeactivated',
      data: { relyingPartyId, deactivatedAt: now },
    };
    party([]).when(command).thenRefuses('RELYING_PARTY_NOT_FOUND');
    party([begun]).when(command).then([event]);
    party([begun, event]).when(command).then([]);
  });

  it('is let in again once reactivated', () => {
    const command = { type: 'ReactivateRelyingParty', now } as const;
    const deactivated: RelyingPartyEvent = {
      type: 'RelyingPartyDeactivated',
      data: { relyingPartyId, deactivatedAt: now },
    };
    const event: RelyingPartyEvent = {
      type: 'RelyingPartyReactivated',
      data: { relyingPartyId, reactivatedAt: now },
    };
    party([]).when(command).thenRefuses('RELYING_PARTY_NOT_FOUND');
    party([begun]).when(command).then([]);
    party([begun, deactivated]).when(command).then([event]);
    party([begun, deactivated, event]).when(command).then([]);
  });

  it('is edited setting by setting, the whole of them on record', () => {
    const edit = (changes: Partial<RelyingPartySettings>) =>
      ({ type: 'EditRelyingParty', changes, now }) as const;
    const edited = (changes: Partial<RelyingPartySettings>): RelyingPartyEvent => ({
      type: 'RelyingPartyEdited',
      data: { ...settings, ...changes, relyingPartyId, editedAt: now },
    });
    const first = edited({ requestsPerMinute: 5 });
    party([])
      .when(edit({ name: 'A' }))
      .thenRefuses('RELYING_PARTY_NOT_FOUND');
    party([begun]).when(edit({})).then([]);
    party([begun])
      .when(edit({ permissions: ['AUTH', 'SIGN'] }))
      .then([]);
    party([begun])
      .when(edit({ requestsPerMinute: 5 }))
      .then([first]);
    party([begun, first])
      .when(edit({ requestsPerMinute: 5 }))
      .then([]);
    party([begun, first])
      .when(edit({ name: 'Шинэ', firstParty: true }))
      .then([edited({ requestsPerMinute: 5, name: 'Шинэ', firstParty: true })]);
    party([begun])
      .when(edit({ name: 'Ж'.repeat(17) }))
      .thenRefuses('INVALID_REQUEST');
    party([begun])
      .when(edit({ name: '' }))
      .thenRefuses('INVALID_REQUEST');
  });
});

describe('Subsystems of a relying party', () => {
  const seen = (subsystem: string): RelyingPartyEvent => ({
    type: 'SubsystemSeen',
    data: { relyingPartyId, subsystem, seenAt: now },
  });
  const three = [begun, seen('web'), seen('app'), seen('old')];
  const change = (number: number, wanted: SubsystemChange) =>
    ({ type: 'ChangeSubsystem', number, change: wanted, now }) as const;
  const deactivated = (subsystem: string): RelyingPartyEvent => ({
    type: 'SubsystemDeactivated',
    data: { relyingPartyId, subsystem, deactivatedAt: now },
  });
  const merged = (subsystem: string, into: string): RelyingPartyEvent => ({
    type: 'SubsystemMerged',
    data: { relyingPartyId, subsystem, into, mergedAt: now },
  });
  const after = (...events: RelyingPartyEvent[]) => {
    const state = fold(relyingPartyDecider, [...three, ...events]);
    return state.status === 'NONE' ? [] : state.subsystems;
  };

  it('are deactivated, activated and named once, and only those there are', () => {
    const deactivate = change(2, { type: 'deactivate' });
    const activate = change(2, { type: 'activate' });
    const activated: RelyingPartyEvent = {
      type: 'SubsystemActivated',
      data: { relyingPartyId, subsystem: 'app', activatedAt: now },
    };
    party(three)
      .when(deactivate)
      .then([deactivated('app')]);
    party([...three, deactivated('app')])
      .when(deactivate)
      .then([]);
    party(three).when(activate).then([]);
    party([...three, deactivated('app')])
      .when(activate)
      .then([activated]);

    const rename = change(1, { type: 'rename', displayName: 'Портал' });
    const renamed: RelyingPartyEvent = {
      type: 'SubsystemRenamed',
      data: { relyingPartyId, subsystem: 'web', displayName: 'Портал', renamedAt: now },
    };
    party(three).when(rename).then([renamed]);
    party([...three, renamed])
      .when(rename)
      .then([]);
    for (const number of [0, 4, -1]) {
      const unknown = change(number, { type: 'deactivate' });
      party(three).when(unknown).thenRefuses('SUBSYSTEM_NOT_FOUND');
    }
    party([]).when(rename).thenRefuses('RELYING_PARTY_NOT_FOUND');
  });

  it('are merged into what lasts, never in a circle, into themselves or what is deactivated', () => {
    const merge = (number: number, into: number) => change(number, { type: 'merge', into });
    party(three)
      .when(merge(3, 2))
      .then([merged('old', 'app')]);
    const once = [...three, merged('old', 'app')];
    party(once).when(merge(3, 2)).then([]);
    party(once)
      .when(merge(1, 3))
      .then([merged('web', 'app')]);
    party(once).when(merge(3, 1)).thenRefuses('CONFLICT');
    party(once).when(merge(2, 3)).thenRefuses('CONFLICT');
    party(once)
      .when(change(3, { type: 'activate' }))
      .thenRefuses('CONFLICT');
    party(once)
      .when(change(3, { type: 'deactivate' }))
      .thenRefuses('CONFLICT');
    party(three).when(merge(1, 1)).thenRefuses('CONFLICT');
    party(three).when(merge(1, 9)).thenRefuses('SUBSYSTEM_NOT_FOUND');
    party([...three, deactivated('app')])
      .when(merge(1, 2))
      .thenRefuses('CONFLICT');
    party([...three, deactivated('app')])
      .when(merge(2, 1))
      .then([merged('app', 'web')]);
  });

  it('count for what took their place, at the end of the chain', () => {
    const chain = after(merged('old', 'app'), merged('app', 'web'));
    expect(subsystemOfSession(chain, 'old')).to.equal('web');
    expect(subsystemOfSession(chain, 'web')).to.equal('web');
    expect(subsystemOfSession(chain, 'never seen')).to.equal('never seen');
    const ended = after(merged('old', 'app'), deactivated('app'));
    for (const name of ['old', 'app']) {
      expect(() => subsystemOfSession(ended, name)).to.throw('SUBSYSTEM_NOT_ACTIVE');
    }
    expect(subsystemOfSession(ended, 'web')).to.equal('web');
  });
});
