import { policyFor } from '../../domain/documentPolicy/documentPolicy.ts';
import type { PolicyTerms } from '../../domain/documentPolicy/events.ts';
import {
  type DocumentType,
  type SigningRail,
  signingRails,
} from '../../domain/shared/documentTypes.ts';
import { type DocumentPolicyStore, policiesOf } from './documents.ts';

/** Availability of a signing rail; `reason` explains a missing one. */
export interface RailState {
  readonly rail: SigningRail;
  /** Null: available. Otherwise excluded by the organization's policy, or else by the configuration. */
  readonly reason: 'not_allowed' | 'not_configured' | null;
}

/** Configured rails, regardless of policies. */
export type ConfiguredRails = () => Promise<Readonly<Record<SigningRail, boolean>>>;

/** Signing policy for documents of this type. */
export async function termsFor(
  policies: DocumentPolicyStore,
  { tenantId, docType }: { readonly tenantId: string; readonly docType: DocumentType },
): Promise<PolicyTerms> {
  const { state } = await policies.load(policiesOf(tenantId));
  return policyFor(state, docType);
}

/** Availability of every rail under these terms. */
export async function railStates(
  { allowEid, allowDan }: PolicyTerms,
  configured: ConfiguredRails,
): Promise<readonly RailState[]> {
  const allowed = { EID: allowEid, DAN: allowDan };
  const isConfigured = await configured();
  return signingRails.map((rail) => {
    if (!allowed[rail]) return { rail, reason: 'not_allowed' };
    return { rail, reason: isConfigured[rail] ? null : 'not_configured' };
  });
}
