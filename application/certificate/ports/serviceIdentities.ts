import type { ServicePurpose } from '../../../domain/certificate/events.ts';
import type { EcdsaKeyType } from '../../ports/keyVault.ts';

export type { ServicePurpose } from '../../../domain/certificate/events.ts';

/** A key of the platform with its certificate. */
export interface ServiceIdentity {
  readonly purpose: ServicePurpose;
  /** Label in the key vault. */
  readonly keyLabel: string;
  readonly keyType: EcdsaKeyType;
  /** Lower-case hexadecimal. */
  readonly serial: string;
  /** DER. */
  readonly certificate: Buffer;
  /** DER, from the issuing CA up to the root. */
  readonly chain: readonly Buffer[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** The platform's own identities; renewed automatically before they end. */
export interface ServiceIdentities {
  /** @throws Error when not started */
  current(purpose: ServicePurpose): ServiceIdentity;
  /** Registers a callback for renewed identities. Returns the unregister function. */
  onRenewed(listener: (identity: ServiceIdentity) => void): () => void;
}
