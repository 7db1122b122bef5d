import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { createServiceIdentities } from '../../application/certificate/serviceIdentities.ts';
import { servicePurposes } from '../../application/certificate/serviceProfiles.ts';
import { caKinds } from '../../domain/shared/issuingCas.ts';
import type { CertificateAuthority } from '../../application/ports/certificateAuthority.ts';
import type { ServiceIdentity } from '../../application/certificate/ports/serviceIdentities.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { referenceDataTopic } from '../../domain/shared/streams.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  createMemoryPointers,
  startTestAuthority,
  type TestAuthority,
} from '../support/doubles/memoryPki.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { givenInMemory } from '../support/given/inMemory.ts';
import { startTwoGenerations } from '../support/pki/nextGeneration.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';

const DAY_MS = 86_400_000;

describe("The platform's own identities", () => {
  let test: TestAuthority;

  before(async () => {
    test = await startTestAuthority();
  });

  after(() => test.stop());

  function world(keyVault = test.vault) {
    const parts = givenInMemory({ clock: () => manualClock(new Date().toISOString()) });
    const { certificates, clock, eventStore, notifications: feed, randomness } = parts;
    const pointers = createMemoryPointers();
    const failures: unknown[] = [];
    const create = (authority: CertificateAuthority = test.authority) =>
      createServiceIdentities({
        certificates,
        authority,
        keyVault,
        pointers,
        clock,
        feed,
        randomness,
        onFailure: (_purpose, cause) => failures.push(cause),
        everyMs: 20,
      });
    const pass = (days: number) => clock.advance(days * DAY_MS);
    const types = () => eventStore.events.map(({ event }) => event.type);
    async function revoke(serial: string): Promise<void> {
      await certificates.handle(
        serial,
        { type: 'RevokeCertificate', reason: 1, now: new Date().toISOString() },
        {
          actor: { kind: 'system', id: 'test' },
          correlationId: 'test',
          causationId: 'test',
          requestId: null,
          ip: null,
        },
      );
      feed.notify([referenceDataTopic('certificate', serial)]);
    }
    return { certificates, create, pass, types, revoke, failures };
  }

  function authorityThatFails(now: () => boolean): CertificateAuthority {
    return {
      ...test.authority,
      issue: (order) =>
        now() ? Promise.reject(new Error('no token')) : test.authority.issue(order),
    };
  }

  it('are issued once, each by its CA, and found again after a restart', async () => {
    const { create, types } = world();
    const first = create();
    await first.start();
    const issued = servicePurposes(caKinds).map((purpose) => first.current(purpose));
    await first.stop();

    const second = create();
    await second.start();
    expect(servicePurposes(caKinds).map((purpose) => second.current(purpose))).to.deep.equal(
      issued,
    );
    await second.stop();

    expect(types().filter((type) => type === 'CertificateIssued')).to.have.length(4);
    for (const { certificate, chain, keyLabel, purpose } of issued) {
      const x509 = new X509Certificate(certificate);
      const [ca, root] = chain.map((der) => new X509Certificate(der));
      expect(ca && x509.verify(ca.publicKey)).to.equal(true);
      expect(root && ca?.verify(root.publicKey)).to.equal(true);
      expect(ca?.subject).to.include(purpose === 'OCSP_PERSONAL' ? 'Personal' : 'Organization');
      const key = await test.vault.findKey(keyLabel);
      expect(x509.publicKey.export({ format: 'der', type: 'spki' })).to.deep.equal(key?.publicKey);
    }
  });

  it('are the same in processes that start together', async () => {
    const { create, types } = world();
    const processes = [create(), create(), create()];
    await Promise.all(processes.map((each) => each.start()));
    for (const purpose of servicePurposes(caKinds)) {
      const found = processes.map((each) => each.current(purpose).certificate.toString('hex'));
      expect(new Set(found).size, purpose).to.equal(1);
    }
    await Promise.all(processes.map((each) => each.stop()));
    expect(types().filter((type) => type === 'CertificateIssued')).to.have.length(4);
  });

  it('are resumed under the same serial after a crash between intent and signature', async () => {
    const { create, types } = world();
    let crashes = 1;
    const crashing: CertificateAuthority = {
      ...test.authority,
      issue: (order) =>
        crashes-- > 0 ? Promise.reject(new Error('killed')) : test.authority.issue(order),
    };
    expect(await rejection(create(crashing).start())).to.have.property('message', 'killed');
    expect(types()).to.deep.equal(['CertificateRequested']);

    const next = create();
    await next.start();
    await next.stop();
    expect(types().filter((type) => type === 'CertificateRequested')).to.have.length(4);
    expect(types().filter((type) => type === 'CertificateIssued')).to.have.length(4);
  });

  describe('of an Organization CA that the root revoked', () => {
    async function generations() {
      const two = await startTwoGenerations();
      after(() => two.stop());
      return { ...two, ...world(two.vault) };
    }

    it('are asked for under the next one, should a request be left of before', async () => {
      const { create, types, authority, crashingAt, revokeFirst, activateNext } =
        await generations();
      expect(await rejection(create(crashingAt('TSA')).start())).to.have.property(
        'message',
        'killed',
      );
      revokeFirst();
      activateNext();

      const identities = create(authority);
      await identities.start();
      const { chain } = identities.current('TSA');
      expect(chain[0]).to.deep.equal(authority.issuer('organization-2').certificate);
      await identities.stop();
      expect(types().filter((type) => type === 'CertificateRevoked')).to.have.length(1);
    });

    it('are not among those held until the next one issues', async () => {
      const { create, authority, revokeFirst, activateNext } = await generations();
      revokeFirst();
      const identities = create(authority);
      await identities.start();
      const held = () => identities.held().map(({ purpose }) => purpose);
      expect(held()).to.deep.equal(['OCSP_PERSONAL', 'OCSP_ORGANIZATION_2']);
      activateNext();
      await eventually(() => expect(held()).to.include.members(['TSA', 'DOCUMENT_SIGNER']));
      await identities.stop();
    });

    it('leave no request behind until the next one issues', async () => {
      const { create, types, authority, revokeFirst, activateNext, failures } = await generations();
      revokeFirst();
      const identities = create(authority);
      await identities.start();
      expect(failures).to.have.length(3);
      const requests = () => types().filter((type) => type === 'CertificateRequested').length;
      expect(requests()).to.equal(2);
      activateNext();
      await eventually(() => expect(identities.current('DOCUMENT_SIGNER')).to.be.an('object'));
      await identities.stop();
      expect(types()).not.to.include('CertificateRevoked');
    });
  });

  it('are renewed before they end, with the same key for OCSP and a new one for documents', async () => {
    const { create, pass, types } = world();
    const identities = create();
    await identities.start();
    const responder = identities.current('OCSP_PERSONAL');
    const signer = identities.current('DOCUMENT_SIGNER');
    const renewed: ServiceIdentity[] = [];
    identities.onRenewed((identity) => renewed.push(identity));

    pass(5);
    await eventually(() => expect(renewed).to.have.length(2));
    expect(identities.current('OCSP_PERSONAL').serial).to.not.equal(responder.serial);
    expect(identities.current('OCSP_PERSONAL').keyLabel).to.equal(responder.keyLabel);
    expect(identities.current('DOCUMENT_SIGNER')).to.deep.equal(signer);
    expect(types().filter((type) => type === 'CertificateSuperseded')).to.have.length(2);

    pass(600);
    await eventually(() =>
      expect(identities.current('DOCUMENT_SIGNER').keyLabel).to.not.equal(signer.keyLabel),
    );
    await identities.stop();
  });

  it('are replaced, key and all, as soon as they are revoked', async () => {
    const { create, revoke } = world();
    const identities = create();
    await identities.start();
    const { serial, keyLabel } = identities.current('OCSP_PERSONAL');
    await revoke(serial);
    await eventually(() => expect(identities.current('OCSP_PERSONAL').serial).to.not.equal(serial));
    expect(identities.current('OCSP_PERSONAL').keyLabel).to.not.equal(keyLabel);
    await identities.stop();
  });

  it('stay in use while they cannot be renewed', async () => {
    const { create, pass, failures } = world();
    let fails = false;
    const identities = create(authorityThatFails(() => fails));
    await identities.start();
    const { serial } = identities.current('OCSP_PERSONAL');
    fails = true;
    pass(5);
    await eventually(() => expect(failures).to.have.length.greaterThan(1));
    expect(identities.current('OCSP_PERSONAL').serial).to.equal(serial);
    await identities.stop();
  });

  it('are replaced after a revocation as soon as they can be, should it fail at first', async () => {
    const { create, revoke, failures } = world();
    let fails = false;
    const identities = create(authorityThatFails(() => fails));
    await identities.start();
    const { serial } = identities.current('DOCUMENT_SIGNER');
    fails = true;
    await revoke(serial);
    await eventually(() => expect(failures).not.to.be.empty);
    fails = false;
    await eventually(() =>
      expect(identities.current('DOCUMENT_SIGNER').serial).to.not.equal(serial),
    );
    await identities.stop();
  });

  it('are unknown before they were started', () => {
    expect(() => world().create().current('TSA')).to.throw(Unavailable, 'keyVault');
  });
});
