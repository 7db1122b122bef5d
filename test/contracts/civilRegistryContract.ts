import { expect } from 'chai';
import type { CivilRecord } from '../../application/ports/civilRegistry.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import {
  type CivilRegistryStore,
  RegistrationNumberTaken,
} from '../../infrastructure/registry/civilRegistryStore.ts';
import { rejection } from '../support/assertions/rejection.ts';

/** A record for tests; each number gives another person. */
export function civilRecord(number: number, change: Partial<CivilRecord> = {}): CivilRecord {
  const digits = String(number).padStart(8, '0');
  return {
    civilId: `1300${digits}`,
    identity: {
      givenName: 'Өнөржаргал',
      surname: 'Цогтбаатар',
      familyName: 'Боржигон',
      givenNameLatin: 'Unurjargal',
      surnameLatin: 'Tsogtbaatar',
      registrationNumber: `үё${digits}`,
      birthDate: '1990-01-31',
      gender: 'F',
      geId: null,
    },
    cardNumber: `E${digits}`,
    ...change,
  };
}

/** Contract of every civil register. */
export function civilRegistryContract(
  start: () => Promise<{ registry: CivilRegistryStore; vault: PersonalDataVault }>,
): void {
  let registry: CivilRegistryStore;
  let vault: PersonalDataVault;
  const first = civilRecord(1);
  const second = civilRecord(2, { cardNumber: null });

  beforeEach(async () => {
    ({ registry, vault } = await start());
    await registry.save([first, second]);
  });

  const byCivilId = (civilId: string) => registry.find({ type: 'civilId', civilId });
  const byNumber = (registrationNumber: string) =>
    registry.find({ type: 'registrationNumber', registrationNumber });

  it('finds a person by civil id and by registration number, in either case', async () => {
    expect(await byCivilId(first.civilId)).to.deep.equal(first);
    expect(await byNumber('үё00000001')).to.deep.equal(first);
    expect(await byNumber('ҮЁ00000002')).to.deep.equal(second);
  });

  it('finds nobody under an unknown identifier', async () => {
    expect(await byCivilId('139999999999')).to.equal(null);
    expect(await byNumber('үё00000009')).to.equal(null);
  });

  it('saves the same records again without a change, and changed ones as they are now', async () => {
    expect(await registry.save([first, second])).to.deep.equal({
      written: 0,
      unchanged: 2,
      forgotten: 0,
    });
    const renumbered = {
      ...first,
      identity: { ...first.identity, registrationNumber: 'үё00000003' },
    };
    expect(await registry.save([renumbered, second])).to.deep.equal({
      written: 1,
      unchanged: 1,
      forgotten: 0,
    });
    expect(await byNumber('үё00000003')).to.deep.equal(renumbered);
    expect(await byNumber('үё00000001')).to.equal(null);
  });

  it('refuses two persons with one registration number and saves none of them', async () => {
    const twin = civilRecord(4, { identity: first.identity });
    const fault = await rejection(registry.save([civilRecord(5), twin]));
    expect(fault).to.be.instanceOf(RegistrationNumberTaken);
    expect(await byCivilId(civilRecord(5).civilId)).to.equal(null);
    expect(await byNumber('үё00000001')).to.deep.equal(first);
  });

  it('knows nothing of a forgotten person and takes no new record of theirs', async () => {
    await vault.forget(first.civilId);
    expect(await byCivilId(first.civilId)).to.equal(null);
    expect(await byNumber('үё00000001')).to.equal(null);
    expect(await registry.save([first, second])).to.deep.equal({
      written: 0,
      unchanged: 1,
      forgotten: 1,
    });
    expect(await byCivilId(first.civilId)).to.equal(null);
    expect(await byCivilId(second.civilId)).to.deep.equal(second);
  });

  it('keeps not even the trace of a forgotten registration number', async () => {
    await vault.forget(first.civilId);
    await registry.forget(first.civilId);
    await registry.forget(first.civilId);
    const heir = civilRecord(6, { identity: first.identity });
    await registry.save([heir]);
    expect(await byNumber('үё00000001')).to.deep.equal(heir);
  });
}
