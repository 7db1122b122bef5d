/** An organization as the national register of legal entities has it. */
export interface OrganizationRecord {
  /** Registration number, upper case. */
  readonly register: string;
  /** The organization's number in the core registry; null when none. */
  readonly coreId: number | null;
  /** As it calls itself. */
  readonly name: string;
  /** As it is registered, with its legal form. */
  readonly legalName: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: string | null;
}

/** The national register of legal entities. */
export interface OrganizationRegistry {
  /** @param register upper case @throws Unavailable(organizationRegistry) */
  find(register: string): Promise<OrganizationRecord | null>;
}
