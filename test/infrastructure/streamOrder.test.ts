import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { createStreamOrder, type OrderFault } from '../../infrastructure/export/streamOrder.ts';

type Line = readonly [stream: string, revision: bigint];

function orderOf(lines: Iterable<Line>, streamsAtOnce?: number, most = 20) {
  const order = createStreamOrder(streamsAtOnce);
  try {
    let number = 0;
    for (const [stream, revision] of lines) order.add((number += 1), stream, revision);
    return order.faults(most);
  } finally {
    order.close();
  }
}

/** The same with every stream remembered. */
function remembered(lines: readonly Line[]): readonly OrderFault[] {
  const revisions = new Map<string, bigint>();
  const faults: OrderFault[] = [];
  lines.forEach(([stream, revision], index) => {
    const expected = (revisions.get(stream) ?? -1n) + 1n;
    if (revision !== expected) faults.push({ line: index + 1, revision, expected });
    revisions.set(stream, revision);
  });
  return faults;
}

describe('The order of the streams of an exported log', function () {
  this.timeout(120_000);

  it('is that of every stream remembered, however few are remembered at once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(40), fc.nat(3)), { maxLength: 200 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 10 }),
        (drawn, streamsAtOnce, most) => {
          const lines = drawn.map(([stream, revision]): Line => [`s-${stream}`, BigInt(revision)]);
          const expected = remembered(lines);
          expect(orderOf(lines, streamsAtOnce, most)).to.deep.equal({
            count: expected.length,
            first: expected.slice(0, most),
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is checked in the same memory for many times as many streams', async () => {
    const script = 'dist/test/support/events/streamOrderMemory.js';
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script]);
    const { few, many } = JSON.parse(stdout) as Readonly<Record<'few' | 'many', number>>;
    // A map of them grew by some 100 bytes each, 48 MB.
    expect(many - few).to.be.lessThan(12 * 1024 * 1024);
  });

  it('leaves no file behind', () => {
    const { TMPDIR } = process.env;
    const directory = mkdtempSync(join(tmpdir(), 'tamga-empty-'));
    process.env['TMPDIR'] = directory;
    try {
      orderOf([['a', 0n]]);
    } finally {
      if (TMPDIR === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = TMPDIR;
    }
    expect(readdirSync(directory)).to.deep.equal([]);
    rmdirSync(directory);
  });
});
