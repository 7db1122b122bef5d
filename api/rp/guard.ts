import type { BlockList } from 'node:net';
import type { Actor } from '../../application/ports/eventStore.ts';
import type {
  RelyingPartyData,
  RelyingPartyReferenceData,
} from '../../application/ports/referenceData.ts';
import { apiSecretPrefix } from '../../application/relyingParty/administration.ts';
import type { Permission } from '../../domain/relyingParty/settings.ts';
import { equalSecrets, sha256Hex } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { addressBlocks, isIn } from '../bounds/caller.ts';
import { bearerToken } from '../http/handling.ts';
import type { Guard, RequestContext } from '../http/route.ts';

const actorOf = ({ relyingPartyId }: RelyingPartyData): Actor => ({
  kind: 'relyingParty',
  id: relyingPartyId,
});

/**
 * Admits an active relying party by its secret, from an allowed address, with a pinned client
 * certificate where one is registered and, for `permission`, with that permission or as first
 * party.
 *
 * The secret is looked up by its SHA-256, and the hash found is compared in constant time; with 256
 * random bits in the secret, the timing of the look-up reveals nothing useful.
 */
export function relyingPartyGuard(
  referenceData: RelyingPartyReferenceData,
  permission: Permission | null,
): Guard<RelyingPartyData> {
  return {
    description: permission === null ? 'relying party' : `relying party with ${permission}`,
    security: ['apiSecret'],
    check: async (context) => {
      const secret = bearerToken(context);
      if (!secret.startsWith(apiSecretPrefix)) throw new Refusal('UNAUTHENTICATED');
      const secretHash = sha256Hex(secret);
      const party = await referenceData.relyingPartyBySecretHash(secretHash);
      if (party?.active !== true || !equalSecrets(party.secretHash, secretHash)) {
        throw new Refusal('UNAUTHENTICATED');
      }
      context.identified?.(actorOf(party));
      checkAddress(party, context);
      checkCertificate(party, context);
      checkPermission(party, permission);
      return party;
    },
    actorOf,
  };
}

/** Parsed allowlists, cached per version of the relying party. */
const parsedAllowlists = new WeakMap<readonly string[], BlockList>();

function checkAddress({ ipAllowlist }: RelyingPartyData, context: RequestContext): void {
  if (ipAllowlist.length === 0) return;
  let blocks = parsedAllowlists.get(ipAllowlist);
  if (blocks === undefined) {
    blocks = addressBlocks(ipAllowlist);
    parsedAllowlists.set(ipAllowlist, blocks);
  }
  if (!isIn(blocks, context.ip)) throw new Refusal('IP_NOT_ALLOWED');
}

function checkCertificate({ clientCertificates }: RelyingPartyData, context: RequestContext): void {
  if (clientCertificates.length === 0) return;
  const presented = context.clientCertificate;
  if (presented === null || !clientCertificates.includes(presented)) {
    throw new Refusal('CLIENT_CERTIFICATE_REQUIRED');
  }
}

/** @throws Refusal PERMISSION_DENIED */
export function checkPermission(party: RelyingPartyData, permission: Permission | null): void {
  if (permission === null || party.firstParty || party.permissions.includes(permission)) return;
  throw new Refusal('PERMISSION_DENIED', { detail: `The permission ${permission} is missing.` });
}
