/** An answer to compare with those of other moments. */
export interface Seen {
  readonly status: number;
  readonly text: string;
  /** Values by path, places in lists left out. */
  readonly values: ReadonlyMap<string, readonly unknown[]>;
}

/** An answer taken apart; bytes and pages count by their status alone. */
export function seen({ status, text }: { readonly status: number; readonly text: string }): Seen {
  const values = new Map<string, unknown[]>();
  if (/^\s*[[{]/.test(text)) collect(JSON.parse(text), '', values);
  return { status, text, values };
}

function collect(value: unknown, path: string, into: Map<string, unknown[]>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, `${path}[]`, into);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) collect(inner, `${path}.${name}`, into);
  } else {
    into.set(path, [...(into.get(path) ?? []), value]);
  }
}

/**
 * Places in a list, moments and reference numbers differ from one request to the next; so do the things named beside an
 * answer, as the newest lines of its audit do, which are compared with the audit itself.
 */
const passing =
  /(cursor|next|\.snapshot|reference|requestId|instance|bytes|crl\.number|^\.names\[\]\.\w+)$/i;
const moment = /^\d{4}-\d\d-\d\dT/;

/**
 * Values of an answer that were true neither before nor after it: what was shown must have been so at some moment
 * between. Numbers may lie between both.
 */
export function differences(answer: Seen, before: Seen, after: Seen): readonly string[] {
  const wrong: string[] = [];
  for (const [path, values] of answer.values) {
    if (passing.test(path)) continue;
    const known = [...(before.values.get(path) ?? []), ...(after.values.get(path) ?? [])];
    const numbers = known.filter((value) => typeof value === 'number');
    for (const value of values) {
      const isBetween =
        typeof value === 'number' && value >= Math.min(...numbers) && value <= Math.max(...numbers);
      const isMoment = typeof value === 'string' && moment.test(value);
      if (!known.includes(value) && !isBetween && !isMoment) wrong.push(`${path} ${String(value)}`);
    }
  }
  return wrong;
}
