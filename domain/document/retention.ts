import type { DocumentRecord } from './document.ts';

/** Reasons for which the file of a document outlives one of its people being forgotten. */
export const retentionReasons = ['SIGNED_FOR_ORGANIZATION', 'SIGNED_WITH_OTHERS'] as const;

export type RetentionReason = (typeof retentionReasons)[number];

/**
 * Reason to keep a document's file after somebody of it was forgotten: a signature makes it evidence of whoever else is a
 * party to it, for legal obligations and claims (GDPR art. 17 (3) (b), (e)). What nobody signed is nobody's evidence.
 *
 * @param others civil ids of the people of the document who are not forgotten
 * @param isOrganizations made for an organization, which is a party then
 * @returns null: nothing speaks for keeping it
 */
export function reasonToKeep(
  { signatures }: Pick<DocumentRecord, 'signatures'>,
  {
    others,
    isOrganizations,
  }: { readonly others: readonly string[]; readonly isOrganizations: boolean },
): RetentionReason | null {
  if (signatures.length === 0) return null;
  if (isOrganizations) return 'SIGNED_FOR_ORGANIZATION';
  return others.length > 0 ? 'SIGNED_WITH_OTHERS' : null;
}
