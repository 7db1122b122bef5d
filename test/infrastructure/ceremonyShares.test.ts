import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  joinShares,
  readShare,
  shareSecret,
  WrongShare,
} from '../../infrastructure/ceremony/shares.ts';
import { rejection } from '../support/assertions/rejection.ts';

const names = ['Anar', 'Bolor', 'Chimeg', 'Dorj', 'Enkh'];

describe('Shares of custodians', () => {
  it('open the secret, whichever of them come together', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 3 }),
        async (secret, chosen) => {
          const { shared, texts } = await shareSecret(secret, { of: 'a key', names, threshold: 3 });
          const shares = chosen.map((at) => readShare(texts[at] ?? '', 'share.txt', shared));
          const joined = await joinShares(shares, shared);
          expect(joined.equals(Buffer.from(secret))).to.equal(true);
          for (const { bytes } of shares)
            expect([...bytes].every((byte) => byte === 0)).to.equal(true);
        },
      ),
      { numRuns: 20 },
    ));

  it('are refused while they are too few', async () => {
    const { shared, texts } = await shareSecret(randomBytes(32), {
      of: 'a key',
      names,
      threshold: 3,
    });
    const two = texts.slice(0, 2).map((text) => readShare(text, 'share.txt', shared));
    const refused = await rejection(joinShares([...two, ...two], shared));
    expect(refused).to.be.instanceOf(WrongShare);
    expect((refused as Error).message).to.equal(
      '2 of the 5 shares were given, 3 are needed: the key stays closed.',
    );
    for (const { bytes } of two) expect([...bytes].every((byte) => byte === 0)).to.equal(true);
  });

  it('leave no copy in the memory that buffers share', async () => {
    const shared = { of: 'a key', names, threshold: 2 };
    const { shared: kept, texts } = await shareSecret(randomBytes(32), shared);
    const copies = texts.slice(0, 2).map((text) => {
      const { bytes } = readShare(text, 'share.txt', kept);
      const copy = Buffer.alloc(bytes.length);
      copy.set(bytes);
      bytes.fill(0);
      return copy;
    });
    const pool = Buffer.from(Buffer.allocUnsafe(1).buffer);
    for (const copy of copies) expect(pool.includes(copy)).to.equal(false);
  });

  it('are told from those of another key, from wrong ones, and from no share at all', async () => {
    const share = () => shareSecret(randomBytes(32), { of: 'one', names, threshold: 2 });
    const { shared } = await share();
    const [foreign = ''] = (await share()).texts;
    const read = (text: string) => () => readShare(text, 'a.txt', shared);
    expect(read(foreign)).to.throw(WrongShare, 'a.txt contains a wrong share (it says Anar)');
    expect(read(foreign.replace('Key: one', 'Key: other'))).to.throw(
      WrongShare,
      'a.txt is a share of another key (other), not of one.',
    );
    for (const text of ['', 'Share: 00', foreign.replace(/^Share: ../m, 'Share: zz')]) {
      expect(read(text)).to.throw(WrongShare, 'a.txt contains no share');
    }
  });

  it('need at least two custodians, each named once', async () => {
    for (const [given, threshold] of [
      [names, 1],
      [names, 6],
      [names, 2.5],
      [['Anar'], 1],
      [['Anar', 'Anar'], 2],
    ] as const) {
      const refused = shareSecret(randomBytes(32), { of: 'a key', names: given, threshold });
      expect(await rejection(refused)).to.be.instanceOf(Error);
    }
  });
});
