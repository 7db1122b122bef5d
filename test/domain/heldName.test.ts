import { expect } from 'chai';
import { heldNameDecider } from '../../domain/heldName/heldName.ts';
import { faultOfSpaces, foldedName } from '../../domain/shared/foldedName.ts';
import { given } from '../support/assertions/deciderSpecification.ts';

describe('N7: names that look the same', () => {
  it('fold to one form', () => {
    const same: readonly (readonly [string, ...string[]])[] = [
      [
        'Tamga Demo',
        ...['TAMGA DEMO', 'tamga  demo', 'Tamga\u00a0Demo', 'Tamga Demo.', ' Tamga Demo . '],
        ...['Ｔamga Demo', 'Tamga\u2003Demo', 'Tamga Demo…'.normalize('NFKC'), '𝐓amga Demo'],
      ],
      ['Хаан Банк', 'ХААН БАНК', 'хаан банк', 'Хаан\u202fБанк'],
      ['POCA', 'РОСА', 'роса', 'ΡΟСΑ'],
      ['Straße', 'STRASSE', 'strasse'],
      ['Café', 'Cafe\u0301'],
    ];
    for (const [name, ...others] of same) {
      for (const other of others) expect(foldedName(other), other).to.equal(foldedName(name));
    }
  });

  it('are others where a letter or a word differs', () => {
    const names = [
      'Tamga Demo',
      'Tamga Demo 2',
      'TamgaDemo',
      'Tamga Bank',
      'Хаан Банк',
      'Хаан',
      '',
    ];
    expect(new Set(names.map(foldedName)).size).to.equal(names.length);
  });

  it('have one space between words, and no other white space', () => {
    for (const name of ['Tamga', 'Tamga Demo', 'Хаан Банк ХХК']) {
      expect(faultOfSpaces(name), name).to.equal(null);
    }
    for (const name of [' a', 'a ', 'a  b', 'a\u00a0b', 'a\u2003b', 'a\tb', 'a\u3000b']) {
      expect(faultOfSpaces(name), JSON.stringify(name)).not.to.equal(null);
    }
  });

  it('are held by one, until another takes them in its place', () => {
    const now = '2026-01-01T00:00:00.000Z';
    const taken = (holder: string) =>
      ({
        type: 'NameTaken',
        data: { scope: 'RELYING_PARTY', holder, folded: 'BANK', takenAt: now },
      }) as const;
    const take = (holder: string, insteadOf: string | null = null) =>
      ({
        type: 'TakeName',
        scope: 'RELYING_PARTY',
        holder,
        folded: 'BANK',
        insteadOf,
        now,
      }) as const;
    const names = given(heldNameDecider);
    names([])
      .when(take('a'))
      .then([taken('a')]);
    names([taken('a')])
      .when(take('a'))
      .then([]);
    names([taken('a')])
      .when(take('b'))
      .thenRefuses('CONFLICT');
    names([taken('a')])
      .when(take('b', 'a'))
      .then([taken('b')]);
    names([taken('a'), taken('b')])
      .when(take('c', 'a'))
      .thenRefuses('CONFLICT');
  });
});
