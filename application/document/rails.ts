import { policyFor } from '../../domain/documentPolicy/documentPolicy.ts';
import type { PolicyTerms } from '../../domain/documentPolicy/events.ts';
import {
  type DocumentType,
  type SigningRail,
  signingRails,
} from '../../domain/shared/documentTypes.ts';
import { type DocumentPolicyStore, policiesOf } from './documents.ts';

/** Whether a document can be signed this way; `reason` says what stands against it. */
export interface RailState {
  readonly rail: SigningRail;
  /** Null: it can. Policy of the organization, or the configuration of the installation; policy goes first. */
  readonly reason: 'not_allowed' | 'not_configured' | null;
}

/** Which rails the installation has, whatever policies say. */
export type ConfiguredRails = () => Promise<Readonly<Record<SigningRail, boolean>>>;

/** How documents of this type may be signed. */
export async function termsFor(
  policies: DocumentPolicyStore,
  { tenantId, docType }: { readonly tenantId: string; readonly docType: DocumentType },
): Promise<PolicyTerms> {
  const { state } = await policies.load(policiesOf(tenantId));
  return policyFor(state, docType);
}

/** Every rail and whether it is usable under these terms. */
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
