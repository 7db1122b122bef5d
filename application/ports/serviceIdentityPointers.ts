import type { ServicePurpose } from '../../domain/certificate/events.ts';

/** Which certificate a service uses. */
export interface ServiceIdentityPointer {
  /** Lower-case hexadecimal. */
  readonly serial: string;
  /** Serial of the certificate it took the place of. */
  readonly replaces: string | null;
}

/** Lets several processes settle on one certificate for each service. @throws Unavailable(database) */
export interface ServiceIdentityPointers {
  find(purpose: ServicePurpose): Promise<ServiceIdentityPointer | null>;
  /**
   * Points to `serial`, provided the pointer is still at `from`.
   *
   * @returns where it points now, whoever moved it
   */
  move(
    purpose: ServicePurpose,
    from: string | null,
    serial: string,
  ): Promise<ServiceIdentityPointer>;
}
