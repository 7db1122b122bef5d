import { markdownTable } from '../../../main/drill/markdownTable.ts';
import type { FaultReport } from '../worlds/clusterWorld.ts';

/** Effects of each fault, collected for docs/failures.md. */
export interface FaultTable {
  add(fault: string, report: FaultReport): void;
  /** Its lines so far, without the headings. */
  lines(): readonly (readonly string[])[];
  /** The table as Markdown. */
  markdown(): string;
}

const HEADINGS = [
  'Fault',
  'Creations failed',
  'Others refused',
  'Wrong 404',
  'Polls slept',
  'Longest wait, s',
  'Full service after, s',
  'Lost',
  'Missed',
  'Connections',
];

/** An empty table. */
export function faultTable(): FaultTable {
  const lines: (readonly string[])[] = [];
  return {
    add: (fault, report) => {
      lines.push([
        fault,
        `${report.createsFailed.length} of ${report.cycles}`,
        String(report.othersRefused.length),
        String(report.unknown.length),
        String(report.slept.length),
        (report.longestMs / 1000).toFixed(1),
        Number.isFinite(report.recoveredAfter) ? report.recoveredAfter.toFixed(1) : 'never',
        String(report.lost.length),
        String(report.missed.length),
        report.connections
          .map(([, was, is]) =>
            was.length === is.length ? was.length : `${was.length}→${is.length}`,
          )
          .join(', '),
      ]);
    },
    lines: () => lines,
    markdown: () => markdownTable(HEADINGS, lines),
  };
}
