import type { DocumentRecord } from './document.ts';

/** Reasons to keep a document's file after crypto-shredding of one of its people. */
export type RetentionReason = 'SIGNED_FOR_ORGANIZATION' | 'SIGNED_WITH_OTHERS';

/**
 * Reason to keep a document's file after one of its people was forgotten: a signed document is evidence for the other
 * parties, for legal obligations and claims (GDPR art. 17 (3) (b), (e)). An unsigned document is never kept.
 *
 * @param others civil ids of the people of the document who are not forgotten
 * @param isOrganizations made for an organization, which is then a party to it
 * @returns null: the file is deleted
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
