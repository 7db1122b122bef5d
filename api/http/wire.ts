/** Response of a refusal code. */
export interface Wire {
  readonly status: number;
  readonly title: string;
  /** Explanation for the caller's developer, with the remedy. */
  readonly text: string;
}

/** Entry of the table of problems. */
export const w = (status: number, title: string, text: string): Wire => ({ status, title, text });
