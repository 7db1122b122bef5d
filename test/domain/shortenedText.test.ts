import { expect } from 'chai';
import { shortened, shortenedTo } from '../../domain/shared/shortenedText.ts';

const lengthOf = (text: string) => Array.from(text).length;

describe('R4: a text cut for the phone', () => {
  const ask = (limit: number, person: string, organization: string) =>
    shortenedTo(limit)`Админ болгох: ${person}, ${organization}`;

  it('is whole where it fits', () => {
    expect(ask(60, 'Дорж Болд', 'Тамга ХХК')).to.equal('Админ болгох: Дорж Болд, Тамга ХХК');
  });

  it('keeps beginning and end of every name, whichever is long', () => {
    const long = `Эхлэл ${'а'.repeat(200)} төгсгөл`;
    const cases: readonly (readonly [string, string])[] = [
      [long, 'Тамга ХХК'],
      ['Дорж Болд', long],
      [long, long],
    ];
    for (const names of cases) {
      expectBothVisible(names, 60);
      expectBothVisible(names, 200);
    }

    function expectBothVisible(names: readonly [string, string], limit: number) {
      const text = ask(limit, ...names);
      expect(lengthOf(text)).to.be.at.most(limit);
      const [, ...parts] = /^Админ болгох: (.*), (.*)$/u.exec(text) ?? [];
      for (const [index, name] of names.entries()) {
        const [head = '', tail = ''] = (parts[index] ?? '').split('…');
        expect(head).not.to.equal('');
        expect(name.startsWith(head) && name.endsWith(tail), text).to.equal(true);
        if (name !== long) expect(head).to.equal(name);
      }
    }
  });

  it('is at most as long as allowed, at every bound', () => {
    for (const length of [0, 1, 20, 22, 23, 24, 43, 44, 45, 46, 200]) {
      for (const other of [0, 1, 21, 22, 23, 45, 300]) {
        const text = ask(60, 'а'.repeat(length), 'б'.repeat(other));
        const full = 14 + length + 2 + other;
        if (full <= 60) expect(lengthOf(text), `${length} ${other}`).to.equal(full);
        else expect(lengthOf(text), `${length} ${other}`).to.be.within(58, 60);
      }
    }
  });

  it('takes no letter apart', () => {
    const family = '👨‍👩‍👧';
    const text = shortened(family.repeat(20), 20);
    expect(text.replaceAll(family, '')).to.equal('…');
    expect(lengthOf(text)).to.be.at.most(20);
  });
});
