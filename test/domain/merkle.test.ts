import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  consistencyRanges,
  createGrowingTree,
  emptyRoot,
  eventLeafHash,
  foldSubtrees,
  growingTiles,
  HASH_BYTES,
  hashTaggedLeaf,
  inclusionRanges,
  type LeafRange,
  rootOfPart,
  type StoredEvent,
  subtreesOf,
  type Tile,
  type TileName,
  tilePartOf,
  verifyConsistency,
  verifyInclusion,
} from '../../domain/merkle/hashTree.ts';
import { createFrontier } from '../../domain/merkle/frontier.ts';
import { encodeTreeHead } from '../../domain/merkle/treeHead.ts';

const sha = (...parts: readonly Uint8Array[]) =>
  createHash('sha256').update(Buffer.concat(parts)).digest();
const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex');
const bytes = (text: string) => Buffer.from(text, 'hex');
const leafHash = (entry: Uint8Array) => hashTaggedLeaf(Buffer.concat([Buffer.alloc(1), entry]));

/** The leaves of the vectors that implementations of RFC 6962 share. */
const vectorLeaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((entry) => leafHash(bytes(entry)));

/** Roots of the first 1 to 8 of them. */
const vectorRoots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** `[leaf (from 1), size, path]` of those vectors. */
const vectorInclusions: readonly (readonly [number, number, readonly string[]])[] = [
  [1, 1, []],
  [
    1,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    6,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [3, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    2,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

const vectorConsistencies: readonly (readonly [number, number, readonly string[]])[] = [
  [1, 1, []],
  [
    1,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    6,
    8,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [
    2,
    5,
    [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

// The definitions of RFC 9162 §2.1 word by word, to compare with.

const largestPowerBelow = (n: number) => 2 ** Math.ceil(Math.log2(n) - 1);

function naiveRoot(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return sha();
  if (leaves.length === 1) return only;
  const k = largestPowerBelow(leaves.length);
  return sha(Buffer.of(1), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
}

function naivePath(m: number, leaves: readonly Buffer[]): readonly Buffer[] {
  if (leaves.length === 1) return [];
  const k = largestPowerBelow(leaves.length);
  return m < k
    ? [...naivePath(m, leaves.slice(0, k)), naiveRoot(leaves.slice(k))]
    : [...naivePath(m - k, leaves.slice(k)), naiveRoot(leaves.slice(0, k))];
}

function naiveProof(m: number, leaves: readonly Buffer[], whole = true): readonly Buffer[] {
  if (m === leaves.length) return whole ? [] : [naiveRoot(leaves)];
  const k = largestPowerBelow(leaves.length);
  return m <= k
    ? [...naiveProof(m, leaves.slice(0, k), whole), naiveRoot(leaves.slice(k))]
    : [...naiveProof(m - k, leaves.slice(k), false), naiveRoot(leaves.slice(0, k))];
}

/** Ranges through the naive root, so that ranges and subtrees are checked apart. */
const hashesOf = (ranges: readonly LeafRange[], leaves: readonly Buffer[]) =>
  ranges.map(({ from, to }) => naiveRoot(leaves.slice(from, to)));

const manyLeaves = Array.from({ length: 700 }, (_, index) => leafHash(Buffer.from(`${index}`)));
const sizes = fc.integer({ min: 1, max: manyLeaves.length });

describe('The Merkle tree of RFC 9162', () => {
  it('has the root of the empty tree, and the leaf and the roots of the published vectors', () => {
    expect(hex(emptyRoot)).to.equal(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    const frontier = createFrontier();
    expect(frontier.root().equals(emptyRoot)).to.equal(true);
    for (const [index, leaf] of vectorLeaves.entries()) {
      frontier.append(leaf);
      expect(hex(frontier.root()), `root of ${index + 1}`).to.equal(vectorRoots[index]);
    }
  });

  it('has the inclusion paths and the consistency proofs of the published vectors', () => {
    for (const [leaf, size, path] of vectorInclusions) {
      const ours = hashesOf(inclusionRanges(leaf - 1, size), vectorLeaves);
      expect(ours.map(hex), `leaf ${leaf} of ${size}`).to.deep.equal(path);
    }
    for (const [first, second, path] of vectorConsistencies) {
      const ours = hashesOf(consistencyRanges(first, second), vectorLeaves);
      expect(ours.map(hex), `${first} in ${second}`).to.deep.equal(path);
    }
  });

  it('proves every leaf of every size as the definition does, and no other leaf or place', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (size, place, otherPlace) => {
        const leaves = manyLeaves.slice(0, size);
        const root = naiveRoot(leaves);
        const index = place % size;
        const path = hashesOf(inclusionRanges(index, size), leaves);
        expect(path.map(hex)).to.deep.equal(naivePath(index, leaves).map(hex));
        const leaf = leaves[index] ?? emptyRoot;
        expect(verifyInclusion({ leaf, index, size, root }, path)).to.equal(true);

        const other = otherPlace % size;
        if (other === index) return;
        expect(verifyInclusion({ leaf, index: other, size, root }, path)).to.equal(false);
        const wrong = leaves[other] ?? emptyRoot;
        expect(verifyInclusion({ leaf: wrong, index, size, root }, path)).to.equal(false);
        expect(verifyInclusion({ leaf, index, size, root }, path.slice(1))).to.equal(false);
        expect(verifyInclusion({ leaf, index, size, root }, [...path, leaf])).to.equal(false);
      }),
    );
  });

  it('proves that every tree continues every smaller one as the definition does, and no other', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (size, part, changed) => {
        const leaves = manyLeaves.slice(0, size);
        const first = (part % size) + 1;
        const path = hashesOf(consistencyRanges(first, size), leaves);
        expect(path.map(hex)).to.deep.equal(naiveProof(first, leaves).map(hex));
        const before = { size: first, root: naiveRoot(leaves.slice(0, first)) };
        const after = { size, root: naiveRoot(leaves) };
        expect(verifyConsistency(before, after, path)).to.equal(true);

        const forked = leaves.with(changed % first, emptyRoot);
        const fork = { size: first, root: naiveRoot(forked.slice(0, first)) };
        expect(verifyConsistency(fork, after, path)).to.equal(false);
        expect(verifyConsistency(before, { size, root: naiveRoot(forked) }, path)).to.equal(false);
        expect(verifyConsistency(before, after, [...path, emptyRoot])).to.equal(false);
        if (path.length > 0)
          expect(verifyConsistency(before, after, path.slice(1))).to.equal(false);
      }),
    );
  });

  it('says that every tree continues the empty one, and that no tree continues a larger one', () => {
    const empty = { size: 0, root: emptyRoot };
    const two = { size: 2, root: naiveRoot(manyLeaves.slice(0, 2)) };
    expect(verifyConsistency(empty, two, [])).to.equal(true);
    expect(verifyConsistency({ size: 0, root: two.root }, two, [])).to.equal(false);
    expect(verifyConsistency(two, empty, [])).to.equal(false);
  });
});

describe('Tiles of the tree', () => {
  /** Grows a tree in steps, forgetting everything but the tiles between them, as a restart does. */
  function grownInSteps(steps: readonly number[], leafOf: (index: number) => Buffer) {
    const kept = new Map<string, Buffer>();
    const key = ({ level, number }: TileName) => `${level}/${number}`;
    let size = 0;
    for (const step of steps) {
      const edge: readonly Tile[] = growingTiles(size).map((name) => {
        const hashes = kept.get(key(name));
        if (hashes === undefined) throw new Error(`no tile ${key(name)}`);
        return { ...name, hashes };
      });
      const tree = createGrowingTree(size, edge);
      for (let added = 0; added < step; added += 1) tree.append(leafOf(size + added));
      for (const tile of tree.takeChanged()) kept.set(key(tile), tile.hashes);
      size = tree.size;
    }
    const hash = (range: LeafRange) =>
      foldSubtrees(
        subtreesOf(range).map((subtree) => {
          const part = tilePartOf(subtree);
          return rootOfPart(kept.get(key(part)) ?? Buffer.alloc(0), part.offset, part.count);
        }),
      );
    return { size, kept, hash };
  }

  it('keep what every root at every size is computed from, whatever steps the tree grew in', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 6 });
    fc.assert(
      fc.property(steps, fc.nat(), (taken, at) => {
        const { size, hash } = grownInSteps(taken, (index) => manyLeaves[index % 700] ?? emptyRoot);
        const smaller = size === 0 ? 0 : at % (size + 1);
        const leaves = Array.from({ length: smaller }, (_, i) => manyLeaves[i % 700] ?? emptyRoot);
        expect(hex(hash({ from: 0, to: smaller }))).to.equal(hex(naiveRoot(leaves)));
      }),
      { numRuns: 40 },
    );
  });

  it('span three levels from 65,536 leaves on, at four tenths of a percent more than the leaves', () => {
    const count = 256 * 256 + 256 + 3;
    const { kept, hash, size } = grownInSteps([count - 5, 4, 1], (index) => {
      const leaf = Buffer.alloc(HASH_BYTES);
      leaf.writeUInt32BE(index);
      return leaf;
    });
    expect(size).to.equal(count);
    expect(kept.get('2/0')?.length).to.equal(HASH_BYTES);
    const stored = [...kept.values()].reduce((sum, tile) => sum + tile.length, 0);
    expect(stored / (count * HASH_BYTES)).to.be.below(1.005);

    const frontier = createFrontier();
    for (let index = 0; index < count; index += 1) {
      const leaf = Buffer.alloc(HASH_BYTES);
      leaf.writeUInt32BE(index);
      frontier.append(leaf);
    }
    expect(hex(hash({ from: 0, to: count }))).to.equal(hex(frontier.root()));
  });
});

describe('The leaf of an event', () => {
  const event: StoredEvent = {
    position: 258n,
    stream: 'session-1',
    revision: 2n,
    id: '00112233-4455-4677-8899-aabbccddeeff',
    type: 'SessionStarted',
    data: '{"name":"Бат"}',
    metadata: '{"schemaVersion":1}',
  };

  it('is the hash of its documented record', () => {
    const text = (value: string) => {
      const content = Buffer.from(value, 'utf8');
      const length = Buffer.alloc(4);
      length.writeUInt32BE(content.length);
      return [length, content];
    };
    const record = Buffer.concat([
      bytes('02' + '0000000000000002' + '00112233445546778899aabbccddeeff'),
      ...[event.stream, event.type, event.data, event.metadata].flatMap(text),
    ]);
    expect(hex(eventLeafHash(event))).to.equal(hex(sha(Buffer.of(0), record)));
    expect(hex(leafHash(record))).to.equal(hex(eventLeafHash(event)));
  });

  it('stays what it was wherever the log is moved to', () => {
    const moved = { ...event, position: 9000n };
    expect(hex(eventLeafHash(moved))).to.equal(hex(eventLeafHash(event)));
  });

  it('differs when anything of the event differs, also when text moves from one part to the next', () => {
    const others: readonly StoredEvent[] = [
      { ...event, revision: 3n },
      { ...event, id: '00112233-4455-4677-8899-aabbccddeefe' },
      { ...event, stream: 'session-1S', type: 'essionStarted' },
      { ...event, data: `${event.data} ` },
      { ...event, data: '', metadata: event.data + event.metadata },
      { ...event, data: 'x'.repeat(100_000) },
    ];
    const leaves = [event, ...others].map((each) => hex(eventLeafHash(each)));
    expect(new Set(leaves).size).to.equal(leaves.length);
  });

  it('is of no event whose id is no UUID', () => {
    expect(() => eventLeafHash({ ...event, id: 'zz112233-4455-4677-8899-aabbccddeeff' })).to.throw(
      'no lower-case UUID',
    );
  });
});

describe('The signed bytes of a tree head', () => {
  it('are TreeHeadDataV2 of RFC 9162 §4.10', () => {
    const head = { timestamp: new Date(0x0102030405), size: 0x0607, root: emptyRoot };
    expect(hex(encodeTreeHead(head))).to.equal(
      `0000000102030405000000000000060720${hex(emptyRoot)}0000`,
    );
  });
});
