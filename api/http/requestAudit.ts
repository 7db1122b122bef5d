import type { RequestJournal } from '../../application/audit/requestJournal.ts';
import type { Actor } from '../../application/ports/eventStore.ts';
import type { Capability } from '../../domain/operator/capabilities.ts';
import type { RefusalCode } from '../../domain/shared/refusal.ts';
import { type Exchange, goOnWith, type Step } from './exchange.ts';
import { problemOf } from '../problems/problem.ts';
import { holdsPersonalData } from '../schemas/personalData.ts';
import type { RawParams, RequestContext, Route } from './route.ts';
import { closeSource } from './streamedBody.ts';

/** A routed request. */
export interface AuditedRequest {
  readonly route: Route;
  readonly params: RawParams;
  /** Public identifier of the disclosed record; omitted: the one in the address. */
  readonly about?: string | undefined;
  readonly caller: Pick<RequestContext, 'method' | 'requestId' | 'ip' | 'target'> & {
    /** Caller, as far as identified. */
    readonly actor: Actor | null;
  };
}

/** Records refused requests and disclosures in the audit. */
export interface RequestAudit {
  /** Records a refusal; never waits, never fails. */
  refused(request: AuditedRequest, error: unknown): void;
  /**
   * Records a request of an operator, or of an identified caller to a disclosing route, before its
   * response. Resolves when the response may be sent.
   */
  answering(request: AuditedRequest): Promise<void> | undefined;
}

/**
 * Audited statuses: permission or state forbids the command; malformed requests are not audited.
 */
const audited: readonly number[] = [401, 403, 404, 409, 422];

/** Codes audited elsewhere with more detail. */
const auditedElsewhere: readonly RefusalCode[] = ['SIGN_IN_FAILED', 'SECOND_FACTOR_WRONG'];

/** Capabilities that disclose personal data to an operator. */
const disclosing: readonly Capability[] = ['user:read', 'device:read', 'cert:read', 'session:read'];

/** Identifiers allowed in the audit; not registration numbers or arbitrary text. */
const PUBLIC_IDENTIFIER =
  /^(?:PNOMN-\d{12}|NTRMN-[0-9A-ZА-ЯЁӨҮ]{1,20}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,40})$/i;

export function createRequestAudit(journal: RequestJournal): RequestAudit {
  return {
    refused(request, error) {
      const { actor, requestId } = request.caller;
      const { status, code } = problemOf(error, requestId);
      if (!audited.includes(status) || auditedElsewhere.includes(code)) return;
      // Anonymous 404s are not audited: anybody can invent addresses.
      if (status === 404 && actor === null) return;
      const isOperatorRefused = status === 403 && actor?.kind === 'operator';
      if (isReading(request) && !isOperatorRefused) return;
      journal.refused({ ...described(request), code, actor });
    },
    answering(request) {
      const { actor } = request.caller;
      if (!isReading(request) || actor === null || !discloses(request.route)) return undefined;
      const { route, caller } = request;
      const polled = route.isPolled === true && { polled: caller.target };
      return journal.disclosing({ ...described(request), actor, ...polled });
    },
  };
}

/** True for routes whose responses disclose personal data to an operator. */
export function discloses({ guard, discloses: saysSo, response = {} }: Route): boolean {
  const { capability } = guard;
  if (saysSo === true || (capability !== undefined && disclosing.includes(capability))) return true;
  return Object.values(response).some(holdsPersonalData);
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

/**
 * Step of disclosing routes that records the disclosure to an identified caller before it is sent: without a record there
 * is no response.
 */
export function auditDisclosure(route: Route, audit: RequestAudit): Step {
  async function record(exchange: Exchange, params: RawParams): Promise<void> {
    const { about, stream } = exchange.reply;
    try {
      await audit.answering({ route, params, caller: exchange, about });
    } catch (error) {
      if (stream !== undefined) await closeSource(stream);
      throw error;
    }
  }

  return ({ params }, { locals: { exchange } }, next) =>
    goOnWith(exchange.actor === null ? undefined : record(exchange, params), () => next());
}
