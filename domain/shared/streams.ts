import type { IssuingAuthority } from './issuingCas.ts';
import type { StreamCategory } from '../events.ts';

// Names of the streams of the log, and of the topics under which changes are announced.

/** The stream of one aggregate, for example `session-6f9619ff-…`. */
export function streamOf(category: StreamCategory, id: string): string {
  return `${category}-${id}`;
}

/** The category a stream name begins with. */
export function categoryOf(stream: string): string {
  const hyphen = stream.indexOf('-');
  return hyphen < 0 ? stream : stream.slice(0, hyphen);
}

/** The aggregate's identifier in a stream name. */
export function identifierOf(stream: string): string {
  return stream.slice(stream.indexOf('-') + 1);
}

/** Topic of a session's completion. */
export function sessionTopic(sessionId: string): string {
  return `session:${sessionId}`;
}

/** Topic of a citizen's inbox. */
export function inboxTopic(civilId: string): string {
  return `inbox:${civilId}`;
}

/** Reference data that projections announce as changed, for caches to invalidate. */
export type ReferenceDataKind =
  'rp' | 'citizen' | 'device' | 'certificate' | 'organization' | 'representation' | 'oidcClient';

/** Topic of changed reference data, for example `rp:<id>`. */
export function referenceDataTopic(kind: ReferenceDataKind, id: string): string {
  return `${kind}:${id}`;
}

/** Topic of a CA's newly published revocation list. */
export function revocationListTopic(authority: IssuingAuthority): string {
  return `crl:${authority}`;
}

/** Topic of a change of an approval. */
export function approvalTopic(approvalId: string): string {
  return `approval:${approvalId}`;
}

/** Topic of the assistant's prompts. */
export const promptsTopic = 'assistant:prompts';

/** Topic of the knowledge base: articles or their vectors changed. */
export const knowledgeTopic = 'assistant:knowledge';
