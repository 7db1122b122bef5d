import type {
  RelyingPartyEvent,
  RelyingPartyRegistered,
} from '../../domain/relyingParty/events.ts';
import { relyingPartyDecider } from '../../domain/relyingParty/relyingParty.ts';
import { maxSubsystems } from '../../domain/relyingParty/subsystems.ts';
import { given } from '../support/deciderSpecification.ts';

const now = '2026-01-01T00:00:00.000Z';
const registered: RelyingPartyRegistered['data'] = {
  relyingPartyId: 'c56a4180-65aa-42ec-a945-5fd21dec0538',
  name: 'Банк',
  callbackHosts: ['bank.example.mn'],
  ipAllowlist: [],
  clientCertificates: [],
  permissions: ['AUTH', 'SIGN'],
  firstParty: false,
  requestsPerMinute: null,
  smartIdStatuses: false,
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

  it('rotates its secret', () => {
    const rotated: RelyingPartyEvent = {
      type: 'SecretRotated',
      data: { relyingPartyId, secretHash: 'bb', rotatedAt: now },
    };
    party([begun]).when({ type: 'RotateSecret', secretHash: 'bb', now }).then([rotated]);
    party([begun, rotated]).when({ type: 'RotateSecret', secretHash: 'bb', now }).then([]);
  });

  it('notes each subsystem once', () => {
    const seen: RelyingPartyEvent = {
      type: 'SubsystemSeen',
      data: { relyingPartyId, subsystem: 'loans', seenAt: now },
    };
    party([begun]).when({ type: 'NoteSubsystem', subsystem: 'loans', now }).then([seen]);
    party([begun, seen]).when({ type: 'NoteSubsystem', subsystem: 'loans', now }).then([]);
  });

  it('has no more subsystems than anybody can look through', () => {
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
});
