import { z } from 'zod';
import { markdownTable } from './markdownTable.ts';

const row = z.strictObject({
  fault: z.string(),
  /** Reason why it was not tried; null: it was. */
  skipped: z.string().nullable(),
  cycles: z.number(),
  /** Creations not answered 200. */
  createsFailed: z.number(),
  /** Confirmations and polls that were refused, and repeated. */
  othersRefused: z.number(),
  /** Answers to both, and how often. */
  kinds: z.record(z.string(), z.number()),
  /** Answers nobody should get. */
  wrong: z.array(z.string()),
  longestSeconds: z.number(),
  /** Duration of the fault. */
  lastedSeconds: z.number(),
  /** Seconds from its beginning to the last call that failed or was slow. */
  wholeSeconds: z.number(),
  /** Acknowledged facts that the log does not have. */
  lost: z.number(),
});

const report = z.strictObject({
  /** ISO 8601. */
  at: z.iso.datetime(),
  cores: z.number(),
  /** Cycles begun a second. */
  perSecond: z.number(),
  short: z.boolean(),
  rows: z.array(row),
});

/** Effects of one fault on those who log in. */
export type DrillRow = z.infer<typeof row>;

/** A drill that was held, as `drill.json` keeps it. */
export type DrillReport = z.infer<typeof report>;

/** Name of the report of the last drill, in `SVC_DATA_DIR`. */
export const DRILL_FILE = 'drill.json';

/** Name of the fault that loses what was acknowledged after a backup. */
export const RESTORED = 'everything lost, restored from an older backup';

/** A row of which nothing is known but its fault. */
export const untried = {
  skipped: null,
  cycles: 0,
  createsFailed: 0,
  kinds: {},
  othersRefused: 0,
  wrong: [],
  longestSeconds: 0,
  lastedSeconds: 0,
  wholeSeconds: 0,
  lost: 0,
} satisfies Omit<DrillRow, 'fault'>;

/** @throws Error when the text is none */
export function parseDrillReport(text: string): DrillReport {
  return report.parse(JSON.parse(text));
}

/** Numbers of equal texts. */
export function counted(texts: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

const SESSION_ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu;

/** Texts, each once whatever session it is about. */
function grouped(texts: readonly string[]): readonly string[] {
  const kinds = counted(texts.map((text) => text.replaceAll(SESSION_ID, '…')));
  return Object.entries(kinds).map(([text, times]) => (times === 1 ? text : `${times} × ${text}`));
}

/** Faults of a drill that an installation must not show: wrong answers, and facts lost but by an older backup. */
export function faultsOf({ rows }: DrillReport): readonly string[] {
  return rows.flatMap(({ fault, wrong, lost }) => [
    ...grouped(wrong).map((text) => `${fault}: ${text}`),
    ...(lost > 0 && fault !== RESTORED ? [`${fault}: ${lost} facts lost`] : []),
  ]);
}

/** The table of docs/failures.md. */
export function drillTable({ rows }: DrillReport): string {
  return markdownTable(
    [
      ...['Fault', 'Creations failed', 'Others refused', 'Wrong answers', 'Longest wait, s'],
      ...['Lasted, s', 'RTO: recovered after, s', 'RPO: facts lost'],
    ],
    rows.map((each) =>
      each.skipped === null
        ? [
            each.fault,
            `${each.createsFailed} of ${each.cycles}`,
            String(each.othersRefused),
            String(each.wrong.length),
            ...[each.longestSeconds, each.lastedSeconds, each.wholeSeconds].map((seconds) =>
              seconds.toFixed(1),
            ),
            String(each.lost),
          ]
        : [each.fault, `not tried: ${each.skipped}`, '', '', '', '', '', ''],
    ),
  );
}
