/** What a refusal code becomes on the wire. */
export interface Wire {
  readonly status: number;
  readonly title: string;
  /** A sentence for the caller's developer that says what to do. */
  readonly text: string;
}

/** A row of the table of problems. */
export const w = (status: number, title: string, text: string): Wire => ({ status, title, text });
