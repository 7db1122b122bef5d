import { expect } from 'chai';
import { createSeenValues } from '../../application/registerImport/seenValues.ts';

describe('Values seen in a file', () => {
  it('are known, whatever their number, and no others are', () => {
    const seen = createSeenValues();
    const numbers = [
      0,
      2 ** 53 - 1,
      ...Array.from({ length: 5000 }, (_, n) => 130_000_000_000 + n),
    ];
    for (const number of numbers) {
      expect(seen.has(number)).to.equal(false);
      seen.add(number);
      seen.add(number);
    }
    expect(numbers.every((number) => seen.has(number))).to.equal(true);
    const others = numbers.map((number) => number + 5000).filter((each) => !numbers.includes(each));
    expect(others.some((number) => seen.has(number))).to.equal(false);
  });

  it('are texts, too, which are no numbers', () => {
    const seen = createSeenValues();
    seen.add('5512345');
    expect([seen.has('5512345'), seen.has(5512345), seen.has('5512346')]).to.deep.equal([
      ...[true, false, false],
    ]);
  });
});
