import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { HASH_BYTES } from '../../domain/merkle/hashTree.ts';
import type { SignedTreeHead } from '../../domain/merkle/treeHead.ts';
import { linesOf } from './lines.ts';

/**
 * The file of proofs beside an exported log (JSON Lines, UTF-8): first the signed heads, the smallest first, each as
 * `{"treeSize":…,"timestamp":…,"rootHash":…,"keyId":…,"signature":…}`; then for every 256 events
 * `{"first":…,"own":[[…],…],"shared":[…]}`: the RFC 9162 inclusion path of the event `first + n` in the tree of the last
 * head is `own[n]` followed by `shared`. Hashes and signatures are base64.
 */
export interface ProofFile {
  readonly heads: readonly SignedTreeHead[];
  /** The paths, from the first each time; `null` for a damaged line. */
  blocks(): AsyncGenerator<ProofLine | null, void>;
}

export interface ProofLine {
  readonly first: number;
  readonly own: readonly (readonly Buffer[])[];
  readonly shared: readonly Buffer[];
}

const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'));
const hash = bytes.refine(({ length }) => length === HASH_BYTES);
const count = z.int().min(0);

const headShape = z
  .strictObject({
    treeSize: count,
    timestamp: z.iso.datetime({ precision: 3 }).transform((time) => new Date(time)),
    rootHash: hash,
    keyId: z.string(),
    signature: bytes,
  })
  .transform(({ treeSize, timestamp, rootHash, keyId, signature }): SignedTreeHead => ({
    size: treeSize,
    timestamp,
    root: rootHash,
    keyId,
    signature,
  }));

const blockShape = z.strictObject({
  first: count,
  own: z.array(z.array(hash)),
  shared: z.array(hash),
});

const base64 = (value: Buffer) => value.toString('base64');

/** A head's line, without its line end; also the answer of `/v3/admin/audit/tree-head`. */
export function headLine({ size, timestamp, root, keyId, signature }: SignedTreeHead): string {
  return JSON.stringify({
    treeSize: size,
    timestamp: timestamp.toISOString(),
    rootHash: base64(root),
    keyId,
    signature: base64(signature),
  });
}

/** A block's line, without its line end. */
export function proofLine({ first, own, shared }: ProofLine): string {
  return JSON.stringify({
    first,
    own: own.map((path) => path.map(base64)),
    shared: shared.map(base64),
  });
}

/** Parses a file that holds one tree head. @throws Error when it holds none */
export function parseHead(text: string): SignedTreeHead {
  const head = headOf(text);
  if (head === null) throw new Error('The file is not a signed tree head.');
  return head;
}

/** @throws Error when the file cannot be read */
export async function openProofFile(path: string): Promise<ProofFile> {
  const texts = async function* () {
    for await (const lines of linesOf(createReadStream(path))) yield* lines;
  };
  const heads: SignedTreeHead[] = [];
  for await (const { text } of texts()) {
    const head = headOf(text);
    if (head === null) break;
    heads.push(head);
  }
  return {
    heads,
    async *blocks() {
      for await (const { number, text } of texts()) {
        if (number > heads.length) yield parsed(text, blockShape);
      }
    },
  };
}

function headOf(text: string | null): SignedTreeHead | null {
  return parsed(text, headShape);
}

function parsed<Value>(text: string | null, shape: z.ZodType<Value>): Value | null {
  try {
    return shape.parse(JSON.parse(text ?? ''));
  } catch {
    return null;
  }
}
