import type { EidClient, Representation } from '@tamga/client';

/** Reads the organizations a citizen may act for. */
export async function representationsOf(
  client: EidClient,
  etsi: string,
): Promise<readonly Representation[]> {
  // #region representations
  const { representations } = await client.organization.representations(etsi);
  return representations;
  // #endregion
}
