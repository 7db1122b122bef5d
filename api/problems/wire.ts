import type { RefusalCode } from '../../domain/shared/refusal.ts';

/**
 * Address of a problem's page below the service's own (api/docs), the `type` of its body: the same at every
 * installation, since it is relative (RFC 9457 §3.1.1).
 */
export const problemType = (code: RefusalCode): string => `/docs/problems/${code}`;

/** Response of a refusal code. */
export interface Wire {
  readonly status: number;
  readonly title: string;
  /** Explanation for the caller's developer, with the remedy. */
  readonly text: string;
}

/** Entry of the table of problems. */
export const w = (status: number, title: string, text: string): Wire => ({ status, title, text });
