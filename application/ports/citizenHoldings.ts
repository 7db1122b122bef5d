/** What a citizen holds, as far as projected. */
export interface CitizenHoldings {
  /** Serials of certificates not revoked, and of requests nobody has finished. @throws Unavailable(database) */
  openCertificatesOf(
    civilId: string,
  ): Promise<readonly { readonly serial: string; readonly isIssued: boolean }[]>;
  /** Document numbers of active phones. @throws Unavailable(database) */
  activeDocumentNumbersOf(civilId: string): Promise<readonly string[]>;
}
