import type { SealLevel } from '../../domain/shared/certificateLevel.ts';
import type { HashType } from '../../domain/shared/digest.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { KeyVault } from '../ports/keyVault.ts';
import { Unavailable } from '../ports/faults.ts';
import type { Seal } from './seal.ts';

export interface SealDigestRequest {
  readonly register: string;
  readonly relyingPartyId: string;
  /** Raw bytes, of the length of `hashType`. */
  readonly digest: Buffer;
  readonly hashType: HashType;
}

export interface SealedDigest {
  /** DER sequence of r and s, base64. */
  readonly signature: string;
  /** The organization's certificate, DER, base64. */
  readonly certificate: string;
  readonly level: SealLevel;
  readonly sealedAt: Date;
}

/** The vaults of seal keys, by the level of their certificates; null: no such vault. */
export type SealVaults = Readonly<Record<SealLevel, KeyVault | null>>;

/** Seals a digest. @throws errors of {@link Seal} */
export type SealDigest = (
  request: SealDigestRequest,
  context: CommandContext,
) => Promise<SealedDigest>;

/** @throws Unavailable(keyVault) when this process has no vault of that level */
export function vaultOf(vaults: SealVaults, level: SealLevel): KeyVault {
  const vault = vaults[level];
  if (vault === null) throw new Unavailable('keyVault');
  return vault;
}

export function createSealDigest(seal: Seal, vaults: SealVaults): SealDigest {
  return async ({ register, relyingPartyId, digest, hashType }, context) => {
    const { made, identity, now } = await seal(
      { register, relyingPartyId, content: 'DIGEST' },
      async ({ identity: { level, keyLabel } }) => {
        const signature = await vaultOf(vaults, level).signDigest(keyLabel, digest);
        return {
          digest: digest.toString('base64'),
          hashType,
          signature: signature.toString('base64'),
          sealedDocument: null,
        };
      },
      context,
    );
    const { certificate, level } = identity;
    return { signature: made.signature, certificate, level, sealedAt: now };
  };
}
