import { expect } from 'chai';
import { initialRelyingPartySettings } from '../../domain/relyingParty/settings.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import {
  deactivateRelyingParty,
  registerRelyingParty,
  rotateSecret,
} from '../../application/relyingParty/administration.ts';
import { createNoteSubsystem } from '../../application/relyingParty/noteSubsystem.ts';
import { createHeldNames } from '../../application/aggregates.ts';
import { createTakeNames } from '../../application/names/takeName.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { givenInMemory, causedBy } from '../support/given/inMemory.ts';

const settings = {
  ...initialRelyingPartySettings,
  name: 'DEMO',
  callbackHosts: ['RP.Example.com'],
  clientCertificates: ['AB:'.repeat(31) + 'AB'],
  permissions: ['AUTH'] as const,
};

const context = causedBy('operator', 'cli');

describe('Registering a relying party', () => {
  function begin() {
    const { clock, eventStore, randomness, relyingParties, stores } = givenInMemory();
    const projected: bigint[] = [];
    const dependencies = {
      clock,
      randomness,
      takeNames: createTakeNames({
        heldNames: createHeldNames(stores),
        namesInUse: { usersOf: () => Promise.resolve([]) },
        clock,
      }),
      relyingParties,
      progress: {
        untilProjected: (position: bigint) => {
          projected.push(position);
          return Promise.resolve();
        },
      },
    };
    const stored = () =>
      JSON.stringify(eventStore.events, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
    return { dependencies, projected, stored };
  }

  it('tells the secret once and keeps its hash only, settings in the form guards compare', async () => {
    const { dependencies, projected, stored } = begin();
    const { relyingPartyId, apiSecret } = await registerRelyingParty(
      dependencies,
      settings,
      context,
    );
    expect(apiSecret).to.match(/^rp_sk_[A-Za-z0-9_-]{43}$/);
    expect(stored()).not.to.include(apiSecret).and.not.to.include(apiSecret.slice(6));
    expect(stored()).to.include(sha256Hex(apiSecret));
    const { state } = await dependencies.relyingParties.load(relyingPartyId);
    expect(state).to.have.nested.property('settings.callbackHosts[0]', 'rp.example.com');
    expect(state).to.have.nested.property('settings.clientCertificates[0]', 'ab'.repeat(32));
    expect(projected).to.have.length(1);
  });

  it('replaces the secret and takes it away', async () => {
    const { dependencies, stored } = begin();
    const first = await registerRelyingParty(dependencies, settings, context);
    const second = await rotateSecret(dependencies, first.relyingPartyId, context);
    expect(second.apiSecret).not.to.equal(first.apiSecret);
    expect(stored()).not.to.include(second.apiSecret);
    await deactivateRelyingParty(dependencies, first.relyingPartyId, context);
    const { state } = await dependencies.relyingParties.load(first.relyingPartyId);
    expect(state).to.include({
      status: 'DEACTIVATED',
      secretHash: sha256Hex(second.apiSecret),
    });
  });

  it('returns a secret that works at once though read models lag, since it is shown only once', async () => {
    const { dependencies } = begin();
    const lagging = {
      ...dependencies,
      progress: {
        untilProjected: () => Promise.reject(new Unavailable('database', new Error('They lag.'))),
      },
    };
    const first = await registerRelyingParty(lagging, settings, context);
    const { apiSecret } = await rotateSecret(lagging, first.relyingPartyId, context);
    expect(apiSecret)
      .to.match(/^rp_sk_/)
      .and.not.to.equal(first.apiSecret);
    const broken = { ...lagging, progress: { untilProjected: () => Promise.reject(new Error()) } };
    expect(await rejection(rotateSecret(broken, first.relyingPartyId, context))).to.be.an('error');
  });

  it('refuses settings that would fail at every call or admit no caller', async () => {
    const { dependencies, stored } = begin();
    const unusable: readonly (readonly [string, object])[] = [
      ['/ipAllowlist/0', { ipAllowlist: ['office'] }],
      ['/ipAllowlist/1', { ipAllowlist: ['10.0.0.0/8', '10.0.0.0/33'] }],
      ['/ipAllowlist/0', { ipAllowlist: ['::1/129'] }],
      ['/clientCertificates/0', { clientCertificates: ['AB:CD'] }],
      ['/callbackHosts/0', { callbackHosts: ['https://rp.example.com/'] }],
      ['/callbackHosts/0', { callbackHosts: ['rp.example.com/path'] }],
      ['/callbackHosts/0', { callbackHosts: ['user@rp.example.com'] }],
      ['/callbackHosts/0', { callbackHosts: [''] }],
      ['/requestsPerMinute', { requestsPerMinute: 0 }],
      ['/requestsPerMinute', { requestsPerMinute: Number.NaN }],
    ];
    for (const [pointer, changes] of unusable) {
      const error = await rejection(
        registerRelyingParty(dependencies, { ...settings, ...changes }, context),
      );
      expect(isRefusal(error, 'INVALID_REQUEST') && error.errors[0]?.pointer).to.equal(pointer);
    }
    expect(stored()).to.equal('[]');
  });

  it('keeps hosts as addresses show them, also international ones', async () => {
    const { dependencies } = begin();
    const { relyingPartyId } = await registerRelyingParty(
      dependencies,
      { ...settings, callbackHosts: ['Банк.МН', 'rp.example.com:8443', '[::1]'] },
      context,
    );
    const { state } = await dependencies.relyingParties.load(relyingPartyId);
    expect(state).to.have.deep.nested.property('settings.callbackHosts', [
      new URL('https://Банк.МН').host,
      'rp.example.com:8443',
      '[::1]',
    ]);
  });

  it('notes subsystems that appear together, each once, and goes on after a failure', async () => {
    const { dependencies } = begin();
    const { relyingPartyId } = await registerRelyingParty(dependencies, settings, context);
    const note = createNoteSubsystem(dependencies);
    const unknown = rejection(note(crypto.randomUUID(), 'app', context));
    const names = Array.from({ length: 30 }, (_, index) => `app ${index}`);
    await Promise.all([...names, ...names].map((name) => note(relyingPartyId, name, context)));
    const { state } = await dependencies.relyingParties.load(relyingPartyId);
    expect(state.status !== 'NONE' && state.subsystems.map(({ name }) => name)).to.deep.equal(
      names,
    );
    expect(isRefusal(await unknown, 'RELYING_PARTY_NOT_FOUND')).to.equal(true);
  });

  it('refuses a name of more than 32 bytes and a UUID that is taken', async () => {
    const { dependencies } = begin();
    const refusal = async (changes: object) => {
      try {
        await registerRelyingParty(dependencies, { ...settings, ...changes }, context);
        return null;
      } catch (error) {
        return isRefusal(error) ? error.code : error;
      }
    };
    expect(await refusal({ name: 'ө'.repeat(17) })).to.equal('INVALID_REQUEST');
    const relyingPartyId = crypto.randomUUID();
    expect(await refusal({ relyingPartyId })).to.equal(null);
    expect(await refusal({ relyingPartyId })).to.equal('CONFLICT');
  });
});
