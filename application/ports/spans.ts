import { tracingChannel } from 'node:diagnostics_channel';

/**
 * A piece of work that a trace shows. Name and attributes hold no personal data: templates of paths, types and states
 * only, never an identifier, a text or the message of an error.
 */
export interface Span {
  readonly kind: 'request' | 'command' | 'append' | 'projection' | 'reaction' | 'job';
  /** Final at the end of the work. */
  name: string;
  /** Attributes by the names of the OpenTelemetry conventions where they have one; final at the end. */
  attributes: Readonly<Record<string, string | number>>;
  /** Headers that may name the trace of the caller (W3C Trace Context). */
  readonly caller?: Readonly<Record<string, string | string[] | undefined>>;
  /** Cause of a failure. */
  error?: unknown;
  /** Trace it belongs to, 32 hexadecimal digits; set by who makes the trace. */
  traceId?: string;
}

/** Channel on which work is told of while somebody listens: {@link traced} and requests tell, telemetry listens. */
export const spans = tracingChannel<unknown, Span>('tamga:span');

/** Tells of a piece of work, if somebody listens; what it calls belongs to it. */
export function traced<Result>(
  kind: Span['kind'],
  name: string,
  attributes: Span['attributes'],
  work: () => Promise<Result>,
): Promise<Result> {
  return spans.hasSubscribers ? spans.tracePromise(work, { kind, name, attributes }) : work();
}
