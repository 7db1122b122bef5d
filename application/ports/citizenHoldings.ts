/** A citizen's certificates and devices, in the read model. */
export interface CitizenHoldings {
  /** Serials of certificates not revoked, and of unfinished requests. @throws Unavailable(database) */
  openCertificatesOf(
    civilId: string,
  ): Promise<readonly { readonly serial: string; readonly isIssued: boolean }[]>;
  /** Document numbers of active phones. @throws Unavailable(database) */
  activeDocumentNumbersOf(civilId: string): Promise<readonly string[]>;
}
