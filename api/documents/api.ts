import type { CreateDocumentDependencies } from '../../application/document/createDocument.ts';
import type { DocumentFiles } from '../../application/document/documentFiles.ts';
import type { DocumentAddress, DocumentPolicyStore } from '../../application/document/documents.ts';
import type { ConfiguredRails } from '../../application/document/rails.ts';
import type { SignDocument } from '../../application/document/signDocument.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import type { DocumentPages } from '../../application/reactors/ports/documentViews.ts';
import type { PlatformPermission, PlatformUser } from '../../application/ports/platformTokens.ts';
import type { Quota } from '../../application/attempts.ts';
import type { Randomness } from '../../application/ports/randomness.ts';
import type { MadeDocuments } from '../../application/stamp/madeDocuments.ts';
import { documentNotFound } from '../../domain/document/document.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { commandContext } from '../http/handling.ts';
import type { RateLimit } from '../bounds/admission.ts';
import type { Guard, RequestContext } from '../http/route.ts';
import { platformActor, type PlatformGuards } from '../platform/guard.ts';

/** Dependencies of the document routes. */
export interface DocumentApi extends CreateDocumentDependencies {
  readonly guards: PlatformGuards;
  readonly rateLimit: RateLimit;
  /** Rate limit per caller. */
  readonly requestsPerMinute: number;
  readonly pages: DocumentPages;
  readonly policies: DocumentPolicyStore;
  readonly configured: ConfiguredRails;
  readonly files: DocumentFiles;
  readonly madeDocuments: Pick<MadeDocuments, 'madeOf'>;
  readonly signing: SignDocument;
  readonly randomness: Randomness;
  /** Documents made by one caller. */
  readonly quota: Quota;
  readonly maxFileBytes: number;
  /** Origin of the addresses in discovery. */
  readonly baseUrl: string;
}

/**
 * Admits callers with the permission, rate-limited. @throws RateLimited; as {@link
 * PlatformGuards.permitted}
 */
export function callerWith(
  { guards, rateLimit, requestsPerMinute }: DocumentApi,
  permission: PlatformPermission,
): Guard<PlatformUser> {
  const guard = guards.permitted(permission);
  return {
    ...guard,
    check: async (context) => {
      const user = await guard.check(context);
      await rateLimit.consume(callerKey(user), requestsPerMinute);
      return user;
    },
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** One caller, as limits count them. */
export const callerKey = ({ tenantId, userId }: PlatformUser): string => `${tenantId} ${userId}`;

/** Extent of what a caller sees. */
export function extentOf({ tenantId, civilId, actsForSelf }: PlatformUser) {
  return { tenantId, citizen: actsForSelf ? civilId : null };
}

/** Document id of the address, within what the caller sees. @throws Refusal NOT_FOUND */
export function addressed({ id }: { readonly id: string }, user: PlatformUser): DocumentAddress {
  const documentId = id.toLowerCase();
  if (!UUID.test(documentId)) throw documentNotFound();
  return { documentId, ...extentOf(user) };
}

/** Admits callers with the permission who act for an organization. @throws as {@link callerWith} */
export function organizationWith(
  api: DocumentApi,
  permission: PlatformPermission,
): Guard<PlatformUser> {
  const guard = callerWith(api, permission);
  return {
    ...guard,
    check: async (context) => {
      const user = await guard.check(context);
      if (!user.actsForSelf) return user;
      throw new Refusal('PERMISSION_DENIED', {
        detail: 'Policies belong to organizations. Ask for a login on behalf of one.',
      });
    },
  };
}

/** Command context of a caller. @param about the document, or the session it is signed in */
export function byCaller(
  context: RequestContext,
  user: PlatformUser,
  about: string,
): CommandContext {
  return commandContext(context, platformActor(user), about);
}
