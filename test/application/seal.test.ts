import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import {
  createSealRevokingReactor,
  createSealSettlingReactor,
} from '../../application/reactors/settleSealCertificates.ts';
import type { Reactor } from '../../application/reactors/reactor.ts';
import { newestFirst } from '../../domain/shared/history.ts';
import { sha256 } from '../../domain/shared/digest.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { startTestAuthority, type TestAuthority } from '../support/doubles/memoryPki.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  createSealWorld,
  register,
  sealContext,
  type SealWorld,
} from '../support/worlds/sealWorld.ts';
import { startTwoGenerations } from '../support/pki/nextGeneration.ts';
import { createMemoryDeadLetters } from '../support/doubles/memoryDeadLetters.ts';
import { everybodyActive } from '../support/doubles/memoryPorts.ts';

describe('Seals of an organization', () => {
  let test: TestAuthority;
  let world: SealWorld;
  const document = Buffer.from('a document');

  before(async () => {
    test = await startTestAuthority();
  });

  after(() => test.stop());

  beforeEach(async () => {
    world = await createSealWorld(test);
  });

  afterEach(() => world.stop());

  const sealOne = () =>
    world.sealDigest(
      {
        register,
        relyingPartyId: sealContext.actor.id,
        digest: sha256(document),
        hashType: 'SHA256' as const,
      },
      sealContext,
    );
  const refusal = async () => ((await rejection(sealOne())) as { code: string }).code;

  it('verify with the certified key, and are in the log before they are answered', async () => {
    await world.issue();
    const sealed = await sealOne();

    const { publicKey } = new X509Certificate(Buffer.from(sealed.certificate, 'base64'));
    const signature = Buffer.from(sealed.signature, 'base64');
    expect(verify('sha256', document, publicKey, signature)).to.equal(true);
    const [event] = world.sealed();
    expect(event?.data).to.include({
      register,
      relyingPartyId: sealContext.actor.id,
      content: 'DIGEST',
      digest: sha256(document).toString('base64'),
      signature: sealed.signature,
      sealedAt: sealed.sealedAt.toISOString(),
    });
  });

  it('are refused, and the refusal recorded, while the organization is suspended or revoked', async () => {
    await world.issue();
    await world.changeOrganization('SuspendOrganization');
    expect(await refusal()).to.equal('ORG_NOT_ACTIVE');
    await world.changeOrganization('RestoreOrganization');
    await sealOne();
    await world.changeOrganization('RevokeOrganization');
    expect(await refusal()).to.equal('ORG_NOT_ACTIVE');
    expect(world.sealEvents().map(({ type }) => type)).to.deep.equal([
      ...['SealDenied', 'DocumentSealed', 'SealDenied'],
    ]);
  });

  it('are refused without a certificate, and with a revoked or suspended one', async () => {
    expect(await refusal()).to.equal('CERTIFICATE_NOT_ACTIVE');
    const { serial } = await world.issue();
    await world.revokeCertificate(serial, 6);
    expect(await refusal()).to.equal('CERTIFICATE_NOT_ACTIVE');
    await world.revokeCertificate(serial);
    expect(await refusal()).to.equal('CERTIFICATE_NOT_ACTIVE');
    expect(world.sealed()).to.deep.equal([]);
  });

  it('of an unknown organization are refused and leave no stream', async () => {
    const request = { register: '9999999', relyingPartyId: 'x' };
    const digest = { digest: sha256(document), hashType: 'SHA256' as const };
    const refused = await rejection(world.sealDigest({ ...request, ...digest }, sealContext));
    expect(refused).to.have.property('code', 'ORG_NOT_FOUND');
    expect(world.eventStore.events.some(({ stream }) => stream.startsWith('seal-'))).to.equal(
      false,
    );
  });

  for (const isFollowing of [true, false]) {
    describe(`racing with what ends them, the log ${isFollowing ? 'followed' : 'not followed'}`, () => {
      beforeEach(async () => {
        if (!isFollowing) await world.stop();
      });

      it('are refused when the organization was suspended before them in the log', async () => {
        await world.issue();
        await sealOne();
        world.race(() => world.changeOrganization('SuspendOrganization'));
        expect(await refusal()).to.equal('ORG_NOT_ACTIVE');
        const [, voided, denied] = world.sealEvents();
        expect(voided?.type).to.equal('DocumentSealed');
        expect(denied?.type).to.equal('SealDenied');
        expect(denied?.data).to.include({ sealId: voided?.data.sealId, takesBack: true });
      });

      it('are refused when the certificate was revoked before them in the log', async () => {
        const { serial } = await world.issue();
        world.race(() => world.revokeCertificate(serial));
        expect(await refusal()).to.equal('CERTIFICATE_NOT_ACTIVE');
      });

      it('are refused when another certificate took its place before them in the log', async () => {
        await world.issue();
        world.race(() => world.issue());
        expect(await refusal()).to.equal('CERTIFICATE_NOT_ACTIVE');
        await sealOne();
      });

      it('are answered when the end came after them in the log', async () => {
        await world.issue();
        const asked = sealOne();
        await eventually(() => expect(world.sealed()).to.have.length(1));
        await world.changeOrganization('RevokeOrganization');
        await asked;
      });
    });
  }

  it('never stand answered behind a suspension, however the two are mixed', async () => {
    await world.issue();
    const answered: string[] = [];
    const sealing = Array.from({ length: 60 }, async () => {
      await sealOne().then(
        ({ signature }) => answered.push(signature),
        () => undefined,
      );
    });
    for (let turn = 0; turn < 5; turn += 1) {
      await world.changeOrganization('SuspendOrganization');
      await world.changeOrganization('RestoreOrganization');
    }
    await Promise.all(sealing);
    let isActive = true;
    for (const { event } of world.eventStore.events) {
      if (event.type === 'OrganizationSuspended') isActive = false;
      if (event.type === 'OrganizationRestored') isActive = true;
      if (event.type !== 'DocumentSealed') continue;
      const { signature } = event.data as { signature: string };
      if (!isActive) expect(answered).not.to.include(signature);
    }
    expect(
      answered.length + world.sealEvents().filter(({ type }) => type === 'SealDenied').length,
    ).to.equal(60);
  });

  describe('certificates', () => {
    it('name the organization by its Latin name, under the register’s key', async () => {
      const { certificate, organizationName } = await world.issue();
      const { subject } = new X509Certificate(Buffer.from(certificate, 'base64'));
      expect(subject).to.include('O=TAMGA LLC').and.to.include(`serialNumber=${register}`);
      expect(organizationName).to.equal('TAMGA LLC');
    });

    it('are superseded by the next, of the same key', async () => {
      const first = await world.issue();
      const second = await world.issue();
      expect(second.serial).not.to.equal(first.serial);
      expect(second.keyLabel).to.equal(first.keyLabel);
      const { state } = await world.certificates.load(first.serial);
      expect(state).to.include({ status: 'ISSUED', supersededBy: second.serial });
    });

    it('are of a new key once one was revoked', async () => {
      const first = await world.issue();
      await world.revokeCertificate(first.serial);
      const second = await world.issue();
      expect(second.keyLabel).to.equal(`${first.keyLabel}-${second.serial.slice(0, 8)}`);
      const keyOf = ({ certificate }: { certificate: string }) =>
        createPublicKey(new X509Certificate(Buffer.from(certificate, 'base64')).toString());
      expect(keyOf(second).equals(keyOf(first))).to.equal(false);
    });

    it('are finished after a crash under the serial that was asked for', async () => {
      const broken = { ...test.authority, issue: () => Promise.reject(new Error('power cut')) };
      await rejection(world.issue(broken));
      const { state } = await world.sealCertificates.load(register);
      const { serial } = await world.issue();
      expect(serial).to.equal(state.pending?.serial);
      expect([...newestFirst(state.serials)]).to.deep.equal([serial]);
    });

    it('are asked for anew under the next CA, once the root revoked the one asked', async () => {
      const two = await startTwoGenerations();
      const { authority, crashingAt, revokeFirst, activateNext } = two;
      const own = await createSealWorld(two);
      await rejection(own.issue(crashingAt('SEAL')));
      const { state } = await own.sealCertificates.load(register);
      revokeFirst();
      activateNext();

      const { serial, certificate } = await own.issue();
      expect(serial).to.not.equal(state.pending?.serial);
      const issuer = authority.issuerOf(Buffer.from(certificate, 'base64'));
      expect(issuer.authority).to.equal('organization-2');
      await own.stop();
      await two.stop();
    });

    it('are one when asked for twice at once', async () => {
      const [one, other] = await Promise.all([world.issue(), world.issue()]);
      expect(one.serial).to.equal(other.serial);
    });

    it('are not issued to an organization that is not active', async () => {
      await world.changeOrganization('SuspendOrganization');
      expect(await rejection(world.issue())).to.have.property('code', 'ORG_NOT_ACTIVE');
    });

    it('are revoked with the organization, those superseded too, by reactors from the log', async () => {
      const first = await world.issue();
      const second = await world.issue();
      const options = {
        ...world.issuing,
        eventStore: world.eventStore,
        deadLetters: createMemoryDeadLetters(),
        checkpoints: { load: () => Promise.resolve(null), save: () => Promise.resolve(true) },
        leaderLock: everybodyActive,
        onFailure: (_: string, cause: unknown) => console.error(cause),
      };
      const reactors: readonly Reactor[] = [
        createSealRevokingReactor(options),
        createSealSettlingReactor(options),
      ];
      for (const reactor of reactors) reactor.start();
      await world.changeOrganization('RevokeOrganization');
      await eventually(async () => {
        for (const { serial } of [first, second]) {
          const { state } = await world.certificates.load(serial);
          expect(state).to.include({ status: 'REVOKED', reason: 5 });
        }
      });
      for (const reactor of reactors) await reactor.stop();
    });
  });
});
