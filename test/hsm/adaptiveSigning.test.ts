import { expect } from 'chai';
import { createAdaptiveSigning } from '../../infrastructure/hsm/adaptiveSigning.ts';

describe('where signatures are made', () => {
  /** A token whose answers take as long as said, on the spot and by way of the pool. */
  function tokenThatTakes(first: number) {
    let clock = 0;
    let milliseconds = first;
    const places: string[] = [];
    const sign = createAdaptiveSigning(() => clock);
    const make = (place: string) => {
      places.push(place);
      clock += milliseconds;
      return place;
    };
    return {
      places,
      take: (changed: number) => (milliseconds = changed),
      wait: (passed: number) => (clock += passed),
      signatures: async (count: number) => {
        for (let made = 0; made < count; made += 1) {
          await sign({
            signSync: () => make('spot'),
            signAsync: () => Promise.resolve(make('pool')),
          });
        }
        return places.slice(-count);
      },
    };
  }

  it('begins in the pool and makes them on the spot once the token proved quick', async () => {
    const token = tokenThatTakes(0.05);
    expect(await token.signatures(3)).to.deep.equal(['pool', 'spot', 'spot']);
  });

  it('leaves a token that lets one wait to the pool', async () => {
    const token = tokenThatTakes(2);
    expect(await token.signatures(20)).to.not.include('spot');
  });

  it('forgives single late signatures, and goes back to the pool when the token has become slow', async () => {
    const token = tokenThatTakes(0.05);
    await token.signatures(2);
    for (let round = 0; round < 5; round += 1) {
      token.take(3);
      await token.signatures(7);
      token.take(0.05);
      expect(await token.signatures(1)).to.deep.equal(['spot']);
    }
    token.take(3);
    await token.signatures(8);
    expect(await token.signatures(1)).to.deep.equal(['pool']);
  });

  it('does not try a token again at once that is quick for the pool and slow on the spot', async () => {
    const token = tokenThatTakes(0.4);
    await token.signatures(1 + 8);
    expect(await token.signatures(20)).to.not.include('spot');
    token.wait(1000);
    expect(await token.signatures(2)).to.deep.equal(['pool', 'spot']);
  });

  it('passes on what the token rejects with', async () => {
    const sign = createAdaptiveSigning();
    const failing = { signSync: () => 0, signAsync: () => Promise.reject(new Error('gone')) };
    expect(await sign(failing).catch((error: unknown) => String(error))).to.equal('Error: gone');
  });
});
