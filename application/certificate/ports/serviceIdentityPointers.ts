import type { ServicePurpose } from '../../../domain/certificate/events.ts';

/** Certificate used by a service. */
export interface ServiceIdentityPointer {
  /** Lower-case hexadecimal. */
  readonly serial: string;
  /** Serial of its predecessor. */
  readonly replaces: string | null;
}

/** Lets several processes agree on one certificate per service. @throws Unavailable(database) */
export interface ServiceIdentityPointers {
  find(purpose: ServicePurpose): Promise<ServiceIdentityPointer | null>;
  /**
   * Moves the pointer to `serial`, if it is still at `from`.
   *
   * @returns its value afterwards
   */
  move(
    purpose: ServicePurpose,
    from: string | null,
    serial: string,
  ): Promise<ServiceIdentityPointer>;
}
