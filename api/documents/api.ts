import type { CreateDocumentDependencies } from '../../application/document/createDocument.ts';
import type { DocumentFiles } from '../../application/document/documentFiles.ts';
import type { DocumentPolicyStore } from '../../application/document/documents.ts';
import type { ConfiguredRails } from '../../application/document/rails.ts';
import type { SignDocument } from '../../application/document/signDocument.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import type { DocumentPages } from '../../application/ports/documentViews.ts';
import type { PlatformPermission, PlatformUser } from '../../application/ports/platformTokens.ts';
import type { Randomness } from '../../application/ports/randomness.ts';
import { documentNotFound } from '../../domain/document/document.ts';
import { commandContext } from '../http/guards.ts';
import type { RateLimit } from '../http/rateLimit.ts';
import type { Guard, RequestContext } from '../http/route.ts';
import { platformActor, type PlatformGuards } from '../platform/guard.ts';

/** What the addresses of documents are served from. */
export interface DocumentApi extends CreateDocumentDependencies {
  readonly guards: PlatformGuards;
  readonly rateLimit: RateLimit;
  /** Of one caller. */
  readonly requestsPerMinute: number;
  readonly pages: DocumentPages;
  readonly policies: DocumentPolicyStore;
  readonly configured: ConfiguredRails;
  readonly files: DocumentFiles;
  readonly signing: SignDocument;
  readonly randomness: Randomness;
  readonly maxFileBytes: number;
  /** Origin that discovery lists the addresses under. */
  readonly baseUrl: string;
}

/** Lets in who has the permission, so many times a minute. @throws RateLimited; as {@link PlatformGuards.permitted} */
export function callerWith(
  { guards, rateLimit, requestsPerMinute }: DocumentApi,
  permission: PlatformPermission,
): Guard<PlatformUser> {
  const guard = guards.permitted(permission);
  return {
    ...guard,
    check: async (context) => {
      const user = await guard.check(context);
      await rateLimit.consume(`${user.tenantId} ${user.userId}`, requestsPerMinute);
      return user;
    },
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The document an address names, for the caller's organization. @throws Refusal NOT_FOUND */
export function addressed({ id }: { readonly id: string }, { tenantId }: PlatformUser) {
  const documentId = id.toLowerCase();
  if (!UUID.test(documentId)) throw documentNotFound();
  return { documentId, tenantId };
}

/** A command of a caller. @param about the document, or the session it is signed in */
export function byCaller(
  context: RequestContext,
  user: PlatformUser,
  about: string,
): CommandContext {
  return commandContext(context, platformActor(user), about);
}
