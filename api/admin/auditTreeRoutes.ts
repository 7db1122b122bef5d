import { z } from 'zod';
import type { TreeKeys } from '../../application/audit/treeKeys.ts';
import type { TreeService } from '../../application/audit/treeService.ts';
import type { SignedTreeHead } from '../../domain/merkle/treeHead.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { type Route, route } from '../http/route.ts';
import type { OperatorGuards } from './guard.ts';

const base64 = z.base64();
const count = z.int().min(0);
const asked = z.coerce.number().int().max(Number.MAX_SAFE_INTEGER);

const treeHead = z.strictObject({
  treeSize: count,
  timestamp: z.iso.datetime(),
  rootHash: base64,
  keyId: z.string(),
  signature: base64,
});

/** Keys, the current one first. */
const treeKeys = z.strictObject({
  rootCertificate: base64.meta({
    description: 'DER; compare it with the certificate you have pinned',
  }),
  keys: z.array(
    z.strictObject({
      keyId: z.string(),
      publicKey: base64,
      certificate: base64.nullable().meta({
        description: 'DER, issued by the Root CA; null for an old key without a certificate',
      }),
    }),
  ),
});

const inclusionProof = z.strictObject({
  leafIndex: count,
  treeSize: count,
  leafHash: base64,
  rootHash: base64,
  path: z.array(base64),
});

const consistencyProof = z.strictObject({
  first: count,
  firstRootHash: base64,
  second: count,
  secondRootHash: base64,
  path: z.array(base64),
});

const inclusionQuery = z
  .object({
    eventId: z.uuid().toLowerCase().optional(),
    index: asked.min(0).optional(),
    treeSize: asked.min(1).optional(),
  })
  .refine(({ eventId, index }) => (eventId === undefined) !== (index === undefined), {
    message: 'Give either eventId or index.',
    path: ['eventId'],
  });

const text = (hash: Buffer) => hash.toString('base64');

function headAnswer({ size, timestamp, root, keyId, signature }: SignedTreeHead) {
  return {
    body: {
      treeSize: size,
      timestamp: timestamp.toISOString(),
      rootHash: text(root),
      keyId,
      signature: text(signature),
    },
  };
}

/**
 * Signed tree heads of the log, and inclusion and consistency proofs (RFC 9162).
 *
 * @param root DER
 */
export function auditTreeRoutes(
  trees: TreeService,
  guards: OperatorGuards,
  { keys, root }: { readonly keys: Pick<TreeKeys, 'all'>; readonly root: Buffer },
): readonly Route[] {
  const common = {
    guard: guards.withCapability('audit:read'),
  };
  return [
    route({
      ...common,
      name: 'admin.audit.treeHead',
      summary: 'Get the newest signed tree head of the event log',
      method: 'GET',
      path: '/v3/admin/audit/tree-head',
      response: { 200: treeHead },
      handle: async () => headAnswer(await trees.newestHead()),
    }),
    route({
      ...common,
      name: 'admin.audit.signTreeHead',
      summary: 'Sign a tree head over all present events',
      method: 'POST',
      path: '/v3/admin/audit/tree-head',
      response: { 200: treeHead },
      handle: async () => headAnswer(await trees.signNow()),
    }),
    route({
      ...common,
      name: 'admin.audit.treeKeys',
      summary: 'List present and former keys that sign tree heads, with their certificates',
      method: 'GET',
      path: '/v3/admin/audit/tree-keys',
      response: { 200: treeKeys },
      handle: async () => ({
        body: {
          rootCertificate: text(root),
          keys: (await keys.all()).map(({ publicKey, certificate }) => ({
            keyId: sha256Hex(publicKey),
            publicKey: text(publicKey),
            certificate: certificate && text(certificate),
          })),
        },
      }),
    }),
    route({
      ...common,
      name: 'admin.audit.inclusionProof',
      summary:
        'Get an inclusion proof of an event in the tree of a size, by default that of the newest head',
      method: 'GET',
      path: '/v3/admin/audit/proof/inclusion',
      query: inclusionQuery,
      response: { 200: inclusionProof },
      handle: async ({ query: { eventId, index = 0, treeSize } }) => {
        const of = eventId === undefined ? { index } : { eventId };
        const proof = await trees.inclusion(of, treeSize ?? null);
        return {
          body: {
            leafIndex: proof.index,
            treeSize: proof.treeSize,
            leafHash: text(proof.leaf),
            rootHash: text(proof.root),
            path: proof.path.map(text),
          },
        };
      },
    }),
    route({
      ...common,
      name: 'admin.audit.consistencyProof',
      summary: 'Get a consistency proof between two sizes of the tree',
      method: 'GET',
      path: '/v3/admin/audit/proof/consistency',
      query: z.object({ first: asked.min(1), second: asked.min(1).optional() }),
      response: { 200: consistencyProof },
      handle: async ({ query: { first, second } }) => {
        const proof = await trees.consistency(first, second ?? null);
        return {
          body: {
            first: proof.first,
            firstRootHash: text(proof.firstRoot),
            second: proof.second,
            secondRootHash: text(proof.secondRoot),
            path: proof.path.map(text),
          },
        };
      },
    }),
  ];
}
