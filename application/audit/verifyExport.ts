import {
  eventLeafHash,
  HASH_BYTES,
  type StoredEvent,
  TILE_WIDTH,
  verifyInclusion,
} from '../../domain/merkle/hashTree.ts';
import { createFrontier } from '../../domain/merkle/frontier.ts';
import type { SignedTreeHead } from '../../domain/merkle/treeHead.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import type { ExportFault, NamedLine } from './exportFaults.ts';
import type { ProofBlock } from './exportProofs.ts';
import { isSignedHead } from './signedHead.ts';

/** A line of an export, with its event if it holds one. */
export interface VerifiableLine {
  readonly number: number;
  readonly event: StoredEvent | null;
}

/** Input of the verification; only the trusted keys are trusted. */
export interface ExportToVerify {
  /** The exported events, from the first at each call. */
  readonly lines: () => AsyncIterable<readonly VerifiableLine[]>;
  /** Tree heads included in the export; its proofs are of the largest one. */
  readonly heads: readonly SignedTreeHead[];
  /** The proofs, from the first at each call; `null` for a damaged one. */
  readonly blocks: () => AsyncGenerator<ProofBlock | null, void>;
  /** Heads from other sources, with which the export must be consistent. */
  readonly knownHeads: readonly SignedTreeHead[];
  /** SubjectPublicKeyInfo, DER: pinned by the auditor, or certified by the Root CA the auditor pinned. */
  readonly trustedKeys: readonly Buffer[];
  /**
   * Keys of before keys were certified. Their heads add nothing to trust, as a trusted key has to have signed the newest
   * head over the whole export; they are counted, and have to agree with it.
   */
  readonly uncertifiedKeys: readonly Buffer[];
}

export type ExportVerdict =
  | {
      readonly ok: true;
      readonly head: SignedTreeHead;
      readonly heads: number;
      /** Number of `heads` that only an uncertified key signed. */
      readonly uncertified: number;
    }
  | { readonly ok: false; readonly fault: ExportFault };

/**
 * Verifies an exported log offline: the events must be exactly those the newest head was signed over, and consistent
 * with every other head, and in the order of their positions. Otherwise every event is verified by its own proof until one fails: proofs cannot be forged
 * without the signing key, so that one is the first bad event.
 */
export async function verifyExport(input: ExportToVerify): Promise<ExportVerdict> {
  const bySize = (one: SignedTreeHead, other: SignedTreeHead) => one.size - other.size;
  const head = [...input.heads].sort(bySize).at(-1);
  if (head === undefined) return { ok: false, fault: { kind: 'noHead' } };
  const heads = [...input.heads, ...input.knownHeads].sort(bySize);
  const fault =
    signatureFault(head, heads, input) ??
    (await eventFault(input, head, await readEvents(input, heads))) ??
    truncation(head, heads.at(-1) ?? head);
  if (fault !== null) return { ok: false, fault };
  const uncertified = heads.filter((one) => !isOf(one, input.trustedKeys)).length;
  return { ok: true, head, heads: heads.length, uncertified };
}

const isOf = (head: SignedTreeHead, keys: readonly Buffer[]) =>
  keys.some((key) => sha256Hex(key) === head.keyId);

/** A head covers more events than the export has. */
function truncation(head: SignedTreeHead, newest: SignedTreeHead): ExportFault | null {
  return newest.size > head.size
    ? { kind: 'truncated', index: head.size, treeSize: newest.size }
    : null;
}

function signatureFault(
  newest: SignedTreeHead,
  heads: readonly SignedTreeHead[],
  { trustedKeys, uncertifiedKeys }: ExportToVerify,
): ExportFault | null {
  const keys = [...trustedKeys, ...uncertifiedKeys];
  if (keys.length === 0) return { kind: 'noKey' };
  for (const head of heads) {
    const { size: treeSize, keyId } = head;
    if (!isOf(head, keys)) return { kind: 'wrongKey', treeSize, keyId };
    if (!keys.some((key) => isSignedHead(head, key))) return { kind: 'badSignature', treeSize };
  }
  if (isOf(newest, trustedKeys)) return null;
  return { kind: 'uncertifiedKey', treeSize: newest.size, keyId: newest.keyId };
}

interface ReadEvents {
  readonly events: number;
  /** The first head whose root differs from that of the same number of events. */
  readonly other: SignedTreeHead | null;
  /** The first line whose position is not greater than that of the line before; no head covers positions. */
  readonly disorder: ExportFault | null;
}

async function readEvents(
  { lines }: ExportToVerify,
  heads: readonly SignedTreeHead[],
): Promise<ReadEvents> {
  const frontier = createFrontier();
  const isOther = ({ size, root }: SignedTreeHead) =>
    size === frontier.size && !frontier.root().equals(root);
  let next = 0;
  let events = 0;
  const disagreement = (): SignedTreeHead | null => {
    for (let head = heads[next]; head?.size === frontier.size; head = heads[(next += 1)]) {
      if (isOther(head)) return head;
    }
    return null;
  };
  let found = disagreement();
  let disorder: ExportFault | null = null;
  const disorderAt = positionOrder();
  for await (const batch of lines()) {
    for (const line of batch) {
      const { event } = line;
      events += 1;
      disorder ??= disorderAt(line);
      if (found !== null) continue;
      // A line without an event has no leaf: no head matches.
      if (event === null) found = heads[next] ?? null;
      else {
        frontier.append(leafOf(event));
        found = disagreement();
      }
    }
  }
  return { events, other: found, disorder };
}

/** Tells of each line, one after another, whether its position is greater than that of the line before. */
function positionOrder() {
  let previous = -1n;
  return (line: VerifiableLine): ExportFault | null => {
    if (line.event === null) return null;
    const { position } = line.event;
    if (position <= previous) return { kind: 'disordered', at: named(line), previous };
    previous = position;
    return null;
  };
}

async function eventFault(
  input: ExportToVerify,
  head: SignedTreeHead,
  { events, other, disorder }: ReadEvents,
): Promise<ExportFault | null> {
  if (other === null && events === head.size) return disorder;
  const bad = await firstBadEvent(input, head);
  if (bad !== null || other === null) return bad;
  // Every event is in the newest head, so the other head was signed over another log.
  return { kind: 'forked', treeSize: other.size, other: head.size };
}

async function firstBadEvent(
  input: ExportToVerify,
  head: SignedTreeHead,
): Promise<ExportFault | null> {
  const paths = pathReader(input.blocks());
  try {
    let index = 0;
    for await (const line of oneByOne(input.lines())) {
      if (index >= head.size) return { kind: 'unsigned', index, at: named(line) };
      const path = await paths.next();
      if (!isProven(line, { index, head, path })) {
        return await classify(input, head, { index, line, path });
      }
      index += 1;
    }
    return index < head.size ? { kind: 'truncated', index, treeSize: head.size } : null;
  } finally {
    await paths.close();
  }
}

async function* oneByOne(lines: AsyncIterable<readonly VerifiableLine[]>) {
  for await (const batch of lines) yield* batch;
}

interface Claim {
  readonly index: number;
  readonly head: SignedTreeHead;
  readonly path: readonly Buffer[] | null;
}

function isProven({ event }: VerifiableLine, claim: Claim): boolean {
  const { index, head, path } = claim;
  if (event === null || path === null) return false;
  const leaf = leafOf(event);
  return verifyInclusion({ leaf, index, size: head.size, root: head.root }, path);
}

/** Leaf of an event; a malformed one, such as one without a UUID, has a leaf outside every tree. */
function leafOf(event: StoredEvent): Buffer {
  try {
    return eventLeafHash(event);
  } catch {
    return Buffer.alloc(HASH_BYTES);
  }
}

/** Determines the kind of change of a line whose event fails its proof. */
async function classify(
  input: ExportToVerify,
  head: SignedTreeHead,
  bad: {
    readonly index: number;
    readonly line: VerifiableLine;
    readonly path: readonly Buffer[] | null;
  },
): Promise<ExportFault> {
  const { index, line, path } = bad;
  const at = named(line);
  const belongs = await indexOf(input, head, line);
  if (belongs !== null && belongs < index) return { kind: 'repeated', original: belongs, at };
  if (path === null) return { kind: 'unproven', index, at };
  const found = await lineAfter(input, line.number, { index, head, path });
  if (belongs !== null) {
    if (found === null) return { kind: 'removed', index, count: belongs - index, at };
    const isSwapped = belongs - index === found.line - line.number;
    return { kind: isSwapped ? 'swapped' : 'moved', at, found };
  }
  if (found !== null) return { kind: 'inserted', index, at };
  return { kind: line.event === null ? 'damaged' : 'altered', index, at };
}

/** Index of this event in the signed log; null: no proof. */
async function indexOf(
  { blocks }: ExportToVerify,
  head: SignedTreeHead,
  line: VerifiableLine,
): Promise<number | null> {
  const paths = pathReader(blocks());
  try {
    for (let index = 0; index < head.size; index += 1) {
      const path = await paths.next();
      if (isProven(line, { index, head, path })) return index;
    }
    return null;
  } finally {
    await paths.close();
  }
}

/** The later line that holds the event of that index. */
async function lineAfter(
  { lines }: ExportToVerify,
  number: number,
  claim: Claim,
): Promise<NamedLine | null> {
  for await (const batch of lines()) {
    const found = batch.find((line) => line.number > number && isProven(line, claim));
    if (found !== undefined) return named(found);
  }
  return null;
}

function named({ number, event }: VerifiableLine): NamedLine {
  return {
    line: number,
    event: event === null ? null : { position: event.position, id: event.id },
  };
}

/** Reads the paths one by one, in the order of the events; null for a missing one. */
function pathReader(blocks: AsyncGenerator<ProofBlock | null, void>) {
  let block: ProofBlock | null = null;
  let index = 0;
  let isEnd = false;

  async function advance() {
    const result = await blocks.next();
    isEnd = result.done === true;
    if (result.done !== true) block = result.value ?? block;
  }

  return {
    async next(): Promise<readonly Buffer[] | null> {
      while (!isEnd && (block === null || index >= block.first + TILE_WIDTH)) await advance();
      const own = block?.own[index - block.first];
      index += 1;
      return own === undefined || block === null ? null : [...own, ...block.shared];
    },
    close: () => blocks.return(),
  };
}
