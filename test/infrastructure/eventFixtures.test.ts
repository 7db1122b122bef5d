import { expect } from 'chai';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import { catalog } from '../../infrastructure/codec/catalog.ts';
import { createEventEncoding } from '../../infrastructure/codec/eventEncoding.ts';
import {
  asLogged,
  fixtureVault,
  type NamedFixture,
  readFixtures,
} from '../support/events/eventFixtures.ts';
import { sampleIdentity } from '../support/events/sampleEvents.ts';

const HOW_TO = 'node dist/test/support/events/writeMissingFixtures.js writes it';

describe('the golden event fixtures', () => {
  let fixtures: readonly NamedFixture[];
  let vault: PersonalDataVault;

  before(async () => {
    fixtures = await readFixtures();
    vault = await fixtureVault();
  });

  it('hold every version of every event type in the catalog', () => {
    const names = fixtures.map(({ name }) => name);
    for (const [type, { version }] of Object.entries(catalog)) {
      for (let each = 1; each <= version; each += 1) {
        expect(names, HOW_TO).to.include(`${type}.v${each}.json`);
      }
    }
  });

  it('belong to event types of the catalog', () => {
    expect(fixtures).to.have.length.greaterThan(0);
    for (const { type, version, encoded } of fixtures) {
      expect(catalog).to.have.property(type);
      expect(encoded.type).to.equal(type);
      expect(JSON.parse(encoded.metadata)).to.have.property('schemaVersion', version);
    }
  });

  it('decode to exactly the event they were written from, and pass its schema', async () => {
    const { decode } = createEventEncoding({ vault });
    for (const { name, encoded, decoded } of fixtures) {
      const { event, metadata } = await decode(asLogged(encoded));
      expect({ event, metadata }, name).to.deep.equal(decoded);
    }
  });

  it('hold the plain fields that encoding the same event gives today', async () => {
    const { encode } = createEventEncoding({ vault });
    for (const { name, type, version, encoded, decoded } of fixtures) {
      if (version !== catalog[type]?.version) continue;
      const today = await encode({ id: encoded.id, ...decoded });
      expect(withoutEncrypted(today.data), name).to.deep.equal(withoutEncrypted(encoded.data));
      expect(JSON.parse(today.metadata), name).to.deep.equal(JSON.parse(encoded.metadata));
    }
  });

  it('F12: hold an address in the clear, as it was until it was encrypted, and one that is encrypted', async () => {
    const addressOf = async (name: string) => {
      const fixture = fixtures.find((each) => each.name === name);
      if (fixture === undefined) throw new Error(`There is no ${name}.`);
      const { ip } = (await createEventEncoding({ vault }).decode(asLogged(fixture.encoded)))
        .metadata;
      return { ip, opened: await vault.decryptAddress(ip) };
    };
    const before = await addressOf('CertificateChosen.v1.json');
    expect(before).to.deep.equal({ ip: '192.0.2.7', opened: '192.0.2.7' });
    const since = await addressOf('CertificateChosen-sealedAddress.v1.json');
    expect(since.ip).to.match(/^~110000000001~[A-Za-z0-9+/=]+$/);
    expect(since.opened).to.equal('192.0.2.7');
  });

  it('hold no personal value in the clear', () => {
    for (const { name, encoded } of fixtures) {
      for (const [field, value] of Object.entries(sampleIdentity)) {
        if (field !== 'gender') expect(encoded.data, name).not.to.contain(String(value));
      }
      for (const secret of ['contract.pdf', '@tamga.example', '$scrypt$', 'JBSWY3DPEHPK3PXP']) {
        expect(encoded.data, name).not.to.contain(secret);
      }
    }
  });
});

/** The stored fields, and instead of the encrypted ones whose they are. */
function withoutEncrypted(data: string): unknown {
  const parsed = JSON.parse(data) as { '~personal'?: { of: string | null } };
  const encrypted = parsed['~personal'];
  return encrypted === undefined ? parsed : { ...parsed, '~personal': encrypted.of };
}
