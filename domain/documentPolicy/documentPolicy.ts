import type { Decider } from '../shared/decider.ts';
import type { DocumentType } from '../shared/documentTypes.ts';
import { Refusal } from '../shared/refusal.ts';
import type { DocumentPolicyChanged, PolicyTerms } from './events.ts';

/** Changed policies by type; others are the {@link defaultPolicy}. */
export type DocumentPolicies = ReadonlyMap<DocumentType, PolicyTerms>;

const defaultPolicy: PolicyTerms = {
  allowEid: true,
  allowDan: true,
  requireNamedSigner: false,
};

export const policyFor = (policies: DocumentPolicies, docType: DocumentType): PolicyTerms =>
  policies.get(docType) ?? defaultPolicy;

export interface ChangePolicies {
  readonly type: 'ChangePolicies';
  readonly tenantId: string;
  readonly docTypes: readonly DocumentType[];
  readonly terms: PolicyTerms;
  readonly now: string;
}

function decide(
  { tenantId, docTypes, terms, now }: ChangePolicies,
  policies: DocumentPolicies,
): readonly DocumentPolicyChanged[] {
  const { allowEid, allowDan, requireNamedSigner } = terms;
  if (!allowEid && !allowDan) {
    const detail = 'Documents must be signable: allow at least one of allow_eid and allow_dan.';
    throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/allow_eid', detail }] });
  }
  return docTypes
    .filter((docType) => {
      const present = policyFor(policies, docType);
      return !(
        present.allowEid === allowEid &&
        present.allowDan === allowDan &&
        present.requireNamedSigner === requireNamedSigner
      );
    })
    .map((docType) => ({
      type: 'DocumentPolicyChanged',
      data: { tenantId, docType, allowEid, allowDan, requireNamedSigner, changedAt: now },
    }));
}

/** Signing policies of one organization. Stream `documentPolicy-<SHA-256 of the tenant's id>`. */
export const documentPolicyDecider: Decider<
  DocumentPolicies,
  ChangePolicies,
  DocumentPolicyChanged
> = {
  initial: new Map(),
  evolve: (policies, { data: { docType, allowEid, allowDan, requireNamedSigner } }) =>
    new Map(policies).set(docType, { allowEid, allowDan, requireNamedSigner }),
  decide,
};
