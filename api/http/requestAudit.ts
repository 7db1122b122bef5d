import type { RequestJournal } from '../../application/audit/requestJournal.ts';
import type { Actor } from '../../application/ports/eventStore.ts';
import type { Capability } from '../../domain/operator/capabilities.ts';
import type { RefusalCode } from '../../domain/shared/refusal.ts';
import { problemOf } from './problems.ts';
import type { RawParams, RequestContext, Route } from './route.ts';

/** A request whose row is found. */
export interface AuditedRequest {
  readonly route: Route;
  readonly params: RawParams;
  /** Public identifier of what the answer discloses; omitted: as in the address. */
  readonly about?: string | undefined;
  readonly caller: Pick<RequestContext, 'method' | 'requestId' | 'ip'> & {
    /** Who asks, as far as it is known. */
    readonly actor: Actor | null;
  };
}

/** Tells the audit of requests that were refused, and of answers that disclose. */
export interface RequestAudit {
  /** Never waits, never fails. */
  refused(request: AuditedRequest, error: unknown): void;
  /** A request of an operator, or of a known caller to a row that discloses, is about to be answered. Resolves when it may be. */
  answering(request: AuditedRequest): Promise<void> | undefined;
}

/** What of the caller, or of how things stand, forbids a command; a malformed request is none yet. */
const audited: readonly number[] = [401, 403, 404, 409, 422];

/** Has its own line in the audit, with what this one does not know. */
const toldElsewhere: readonly RefusalCode[] = ['SIGN_IN_FAILED', 'SECOND_FACTOR_WRONG'];

/** What lets an operator see what is kept about persons. */
const disclosing: readonly Capability[] = ['user:read', 'device:read', 'cert:read', 'session:read'];

/** Identifiers that may stand in the audit; a registration number may not, nor may what somebody made up. */
const PUBLIC_IDENTIFIER =
  /^(?:PNOMN-\d{12}|NTRMN-[0-9A-ZА-ЯЁӨҮ]{1,20}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,40})$/i;

export function createRequestAudit(journal: RequestJournal): RequestAudit {
  return {
    refused(request, error) {
      const { actor, requestId } = request.caller;
      const { status, code } = problemOf(error, requestId);
      if (!audited.includes(status) || toldElsewhere.includes(code)) return;
      // Strangers learn what does not exist from no command.
      if (status === 404 && actor === null) return;
      const isOperatorRefused = status === 403 && actor?.kind === 'operator';
      if (isReading(request) && !isOperatorRefused) return;
      journal.refused({ ...described(request), code, actor });
    },
    answering(request) {
      const { actor } = request.caller;
      if (!isReading(request) || actor === null || !discloses(request.route)) return undefined;
      return journal.disclosing({ ...described(request), actor });
    },
  };
}

/** Whether an answer of this row shows an operator what is kept about persons. */
export function discloses({ guard, discloses: saysSo }: Route): boolean {
  const { capability } = guard;
  return saysSo === true || (capability !== undefined && disclosing.includes(capability));
}

function isReading({ route, caller: { method } }: AuditedRequest): boolean {
  return route.isQuestion === true || method === 'GET' || method === 'HEAD';
}

function described({ route, params, about, caller: { requestId, ip } }: AuditedRequest) {
  return {
    operation: route.name,
    capability: route.guard.capability ?? null,
    subject: about ?? subjectIn(params),
    requestId,
    ip,
  };
}

function subjectIn(params: RawParams): string | null {
  for (const value of Object.values(params)) {
    if (typeof value === 'string' && PUBLIC_IDENTIFIER.test(value)) return value;
  }
  return null;
}
