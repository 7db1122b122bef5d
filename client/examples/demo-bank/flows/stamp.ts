import type { EidClient } from '@tamga/client';

/** The PDF with its signature, a validation page and a timestamp in it. The library checks that it begins with the original. */
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
