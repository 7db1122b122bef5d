import type { Bound, Row } from './measure.ts';

/** Result of a scenario. */
export interface ScenarioReport {
  readonly id: string;
  readonly title: string;
  readonly seconds: number;
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
}

const HEADINGS = ['measure', 'value', 'peer', 'peer value', 'ratio', 'floor', 'goal', 'verdict'];

/** Formats a scenario's table as text, notes below it. */
export function renderReport(report: ScenarioReport): string {
  const cells = [HEADINGS, ...report.rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) =>
    Math.max(...cells.map((line) => (line[column] ?? '').length)),
  );
  const lines = cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
  return [
    `${report.id} ${report.title} (${report.seconds.toFixed(0)} s)`,
    ...lines,
    ...report.notes.map((note) => `  note: ${note}`),
  ].join('\n');
}

function cellsOf(row: Row): string[] {
  return [
    row.measure,
    `${figure(row.subject.value)} ${row.unit}`,
    row.peer?.name ?? '',
    row.peer === null ? '' : `${figure(row.peer.value)} ${row.unit}`,
    row.ratio === null ? '' : `${figure(row.ratio)}x`,
    boundText(row.floor, row.ratio !== null),
    boundText(row.goal, row.ratio !== null),
    row.verdict,
  ];
}

function boundText(bound: Bound | null, isRatio: boolean): string {
  if (bound === null) return '';
  const unit = isRatio ? 'x' : '';
  return 'atLeast' in bound ? `>= ${bound.atLeast}${unit}` : `<= ${bound.atMost}${unit}`;
}

function figure(value: number): string {
  if (value === 0) return '0';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
