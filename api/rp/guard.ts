import type { BlockList } from 'node:net';
import type { Actor } from '../../application/ports/eventStore.ts';
import type { RelyingPartyFact, RelyingPartyFacts } from '../../application/ports/facts.ts';
import { apiSecretPrefix } from '../../application/relyingParty/apiSecret.ts';
import type { Permission } from '../../domain/relyingParty/events.ts';
import { equalSecrets, sha256Hex } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { addressBlocks, isIn } from '../http/caller.ts';
import { bearerToken } from '../http/guards.ts';
import type { Guard, RequestContext } from '../http/route.ts';

const actorOf = ({ relyingPartyId }: RelyingPartyFact): Actor => ({
  kind: 'relyingParty',
  id: relyingPartyId,
});

/**
 * Lets in an active relying party that calls with its secret, from an allowed address, with an accepted client
 * certificate where one is registered and, for `permission`, is permitted it or is first-party.
 *
 * The secret is looked up by its SHA-256, and the hash found is compared in constant time; the secret has 256 random
 * bits, so what the time of the look-up tells is worth nothing.
 */
export function relyingPartyGuard(
  facts: RelyingPartyFacts,
  permission: Permission | null,
): Guard<RelyingPartyFact> {
  return {
    description: permission === null ? 'relying party' : `relying party with ${permission}`,
    security: ['apiSecret'],
    check: async (context) => {
      const secret = bearerToken(context);
      if (!secret.startsWith(apiSecretPrefix)) throw new Refusal('UNAUTHENTICATED');
      const secretHash = sha256Hex(secret);
      const party = await facts.relyingPartyBySecretHash(secretHash);
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

/** The blocks of an allowlist, parsed once per version of the fact. */
const parsedAllowlists = new WeakMap<readonly string[], BlockList>();

function checkAddress({ ipAllowlist }: RelyingPartyFact, context: RequestContext): void {
  if (ipAllowlist.length === 0) return;
  let blocks = parsedAllowlists.get(ipAllowlist);
  if (blocks === undefined) {
    blocks = addressBlocks(ipAllowlist);
    parsedAllowlists.set(ipAllowlist, blocks);
  }
  if (!isIn(blocks, context.ip)) throw new Refusal('IP_NOT_ALLOWED');
}

function checkCertificate({ clientCertificates }: RelyingPartyFact, context: RequestContext): void {
  if (clientCertificates.length === 0) return;
  const presented = context.clientCertificate;
  if (presented === null || !clientCertificates.includes(presented)) {
    throw new Refusal('CLIENT_CERTIFICATE_REQUIRED');
  }
}

function checkPermission(party: RelyingPartyFact, permission: Permission | null): void {
  if (permission === null || party.firstParty || party.permissions.includes(permission)) return;
  throw new Refusal('PERMISSION_DENIED', { detail: `The permission ${permission} is missing.` });
}
