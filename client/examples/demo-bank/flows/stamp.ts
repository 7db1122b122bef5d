import type { EidClient } from '@tamga/client';

/**
 * Returns the PDF with the signature, a validation page and a timestamp. The library checks that it
 * begins with the original.
 */
export async function stamp(
  client: EidClient,
  sessionId: string,
  pdf: Buffer,
  fileName: string,
): Promise<Buffer> {
  // #region stamp
  return client.stamp.pdf(sessionId, pdf, { fileName });
  // #endregion
}
