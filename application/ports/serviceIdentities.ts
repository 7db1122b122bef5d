import type { ServicePurpose } from '../../domain/certificate/events.ts';
import type { VaultKeyType } from './keyVault.ts';

export type { ServicePurpose } from '../../domain/certificate/events.ts';

/** A key of the platform with the certificate that says what it may sign. */
export interface ServiceIdentity {
  readonly purpose: ServicePurpose;
  /** For the key vault. */
  readonly keyLabel: string;
  readonly keyType: VaultKeyType;
  /** Lower-case hexadecimal. */
  readonly serial: string;
  /** DER. */
  readonly certificate: Buffer;
  /** DER, from the issuing CA up to the root. */
  readonly chain: readonly Buffer[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** The platform's own identities; renewed by themselves before they end. */
export interface ServiceIdentities {
  /** @throws Error when not started */
  current(purpose: ServicePurpose): ServiceIdentity;
  /** Calls back when an identity was replaced. Returns how to unregister. */
  onRenewed(listener: (identity: ServiceIdentity) => void): () => void;
}
