/** An organization in the national register of legal entities. */
export interface OrganizationRecord {
  /** Registration number, upper case. */
  readonly register: string;
  /** Number in the core registry; null when none. */
  readonly coreId: number | null;
  /** Trade name. */
  readonly name: string;
  /** Registered name, with the legal form. */
  readonly legalName: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: string | null;
}

/** The national register of legal entities. */
export interface OrganizationRegistry {
  /** @param register upper case @throws Unavailable(organizationRegistry) */
  find(register: string): Promise<OrganizationRecord | null>;
  /**
   * Tells if a person is among the organization's affiliates: its directors, founders and owners; null: not known.
   *
   * @param register upper case
   * @param registrationNumber lower case
   * @throws Unavailable(organizationRegistry)
   */
  isAffiliate(register: string, registrationNumber: string): Promise<boolean | null>;
}
