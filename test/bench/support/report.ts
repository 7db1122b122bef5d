import { availableParallelism, cpus, totalmem } from 'node:os';
import type { Bound, Row } from './measure.ts';
import { median } from './statistics.ts';

/** Result of a scenario. */
export interface ScenarioReport {
  readonly id: string;
  readonly title: string;
  readonly seconds: number;
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
}

const HEADINGS = [
  'measure',
  'value',
  'spread',
  'peer',
  'peer value',
  'ratio',
  'floor',
  'goal',
  'verdict',
];

/** Formats a scenario's table as text, notes below it. */
export function renderReport(report: ScenarioReport): string {
  return [
    `${report.id} ${report.title} (${report.seconds.toFixed(0)} s; ${machine()})`,
    ...table([HEADINGS, ...report.rows.map(cellsOf)]),
    ...report.notes.map((note) => `  note: ${note}`),
  ].join('\n');
}

/** Processor, memory and Node.js that figures were measured with. */
export function machine(): string {
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return `${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown processor'}, ${memory} GiB, Node.js ${process.version}`;
}

/** Aligns cells in columns, a rule below the first line. */
export function table(cells: readonly (readonly string[])[]): readonly string[] {
  const [headings = []] = cells;
  const widths = headings.map((_, column) =>
    Math.max(...cells.map((line) => (line[column] ?? '').length)),
  );
  const lines = cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
  return lines;
}

function cellsOf(row: Row): string[] {
  return [
    row.measure,
    `${figure(row.subject.value)} ${row.unit}`,
    spreadOf(row.subject.runs),
    row.peer?.name ?? '',
    row.peer === null ? '' : `${figure(row.peer.value)} ${row.unit}`,
    row.ratio === null ? '' : `${figure(row.ratio)}x`,
    boundText(row.floor, row.ratio !== null),
    boundText(row.goal, row.ratio !== null),
    row.verdict,
  ];
}

/** Noise of the runs: what lies between the lowest and the highest, of their median. */
function spreadOf(runs: readonly number[]): string {
  if (runs.length < 2) return '';
  const share = (Math.max(...runs) - Math.min(...runs)) / median(runs);
  return `±${(share * 50).toFixed(0)} %`;
}

function boundText(bound: Bound | null, isRatio: boolean): string {
  if (bound === null) return '';
  const unit = isRatio ? 'x' : '';
  return 'atLeast' in bound ? `>= ${bound.atLeast}${unit}` : `<= ${bound.atMost}${unit}`;
}

/** A number with three figures at most. */
export function figure(value: number): string {
  if (value === 0) return '0';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
