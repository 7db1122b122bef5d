import { expect } from 'chai';
import type { CivilRecord } from '../../application/ports/civilRegistry.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import type { CivilRegistryStore } from '../../infrastructure/registry/civilRegistryStore.ts';

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

  const TAKEN = {
    refused:
      'registrationNumber belongs to another citizen in the register. Correct the one that is wrong.',
  };
  const numbered = (record: CivilRecord, registrationNumber: string): CivilRecord => ({
    ...record,
    identity: { ...record.identity, registrationNumber },
  });

  it('tells unchanged, changed and new records apart, and keeps changed ones as they are now', async () => {
    expect(await registry.compare([first, second])).to.deep.equal(['UNCHANGED', 'UNCHANGED']);
    const renumbered = numbered(first, 'үё00000003');
    const given = [renumbered, second, civilRecord(5)];
    expect(await registry.compare(given)).to.deep.equal(['CHANGED', 'UNCHANGED', 'ADDED']);
    expect(await byNumber('үё00000001')).to.deep.equal(first);
    await registry.save(given);
    expect(await registry.compare(given)).to.deep.equal(['UNCHANGED', 'UNCHANGED', 'UNCHANGED']);
    expect(await byNumber('үё00000003')).to.deep.equal(renumbered);
    expect(await byNumber('үё00000001')).to.equal(null);
  });

  it("refuses another citizen's registration number, and that record alone", async () => {
    const twin = civilRecord(4, { identity: first.identity });
    expect(await registry.compare([civilRecord(5), twin])).to.deep.equal(['ADDED', TAKEN]);
    const alsoNew = numbered(civilRecord(6), civilRecord(5).identity.registrationNumber);
    expect(await registry.compare([civilRecord(5), alsoNew])).to.deep.equal(['ADDED', TAKEN]);
    expect(await registry.compare([numbered(second, 'үё00000001')])).to.deep.equal([TAKEN]);
  });

  it('lets a citizen have the number another gave up before', async () => {
    const given = [numbered(first, 'үё00000003'), numbered(civilRecord(4), 'үё00000001')];
    expect(await registry.compare(given)).to.deep.equal(['CHANGED', 'ADDED']);
    await registry.save(given);
    expect(await byNumber('үё00000001')).to.deep.equal(given[1]);
    expect(await registry.compare([...given].reverse())).to.deep.equal(['UNCHANGED', 'UNCHANGED']);
  });

  it('knows nothing of a forgotten person and takes no new record of theirs', async () => {
    await vault.forget(first.civilId);
    expect(await byCivilId(first.civilId)).to.equal(null);
    expect(await byNumber('үё00000001')).to.equal(null);
    expect(await registry.compare([first, second])).to.deep.equal(['FORGOTTEN', 'UNCHANGED']);
    await registry.save([first, second]);
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
