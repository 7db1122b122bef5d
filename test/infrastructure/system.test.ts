import { expect } from 'chai';
import { Unavailable } from '../../application/ports/faults.ts';
import { systemClock, systemRandomness, whileRight } from '../../infrastructure/system.ts';

describe('O7: a clock that is wrong', () => {
  it('gives no time until it is right again', () => {
    let isRight = true;
    const clock = whileRight(systemClock, () => isRight);
    clock.now();
    isRight = false;
    expect(() => clock.now())
      .to.throw(Unavailable)
      .with.property('dependency', 'clock');
    isRight = true;
    clock.now();
  });
});

describe('time-ordered ids', () => {
  const { timeOrderedUuid } = systemRandomness;

  it('are UUIDs of version 7 whose first 48 bits are the present millisecond', () => {
    const before = Date.now();
    const id = timeOrderedUuid();
    const after = Date.now();

    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(parseInt(id.slice(0, 13).replace('-', ''), 16)).to.be.within(before, after);
  });

  it('of later milliseconds are greater', () => {
    const first = timeOrderedUuid();
    const end = Date.now() + 1;
    while (Date.now() < end);

    expect(timeOrderedUuid() > first).to.equal(true);
  });

  it('leave 74 bits to chance: none is constant', () => {
    const ids = Array.from({ length: 200 }, () =>
      BigInt(`0x${timeOrderedUuid().replaceAll('-', '')}`),
    );
    const varying = ids.reduce((bits, id) => bits | (id ^ (ids[0] ?? 0n)), 0n);

    expect(varying & ((1n << 80n) - 1n)).to.equal(0xfff_3fff_ffff_ffff_ffffn);
  });
});
