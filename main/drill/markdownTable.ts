/** A table as Markdown, its columns as wide as their widest cell. */
export function markdownTable(
  headings: readonly string[],
  lines: readonly (readonly string[])[],
): string {
  const all = [headings, ...lines];
  const widths = headings.map((_, at) => Math.max(...all.map((line) => line[at]?.length ?? 0)));
  const drawn = (line: readonly string[]) =>
    `| ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const rule = drawn(widths.map((width) => '-'.repeat(width)));
  return [drawn(headings), rule, ...lines.map(drawn)].join('\n');
}
