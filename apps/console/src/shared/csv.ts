/** Cell of a CSV file (RFC 4180); one that a spreadsheet takes for a formula begins with an apostrophe (OWASP, CSV Injection). */
function cellOf(text: string): string {
  const plain = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** A CSV file (RFC 4180). @param rows the first is the header */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

/** Fields of a row of the API by the path of their names, in its order; lists as one text. */
function fieldsOf(row: unknown, path = ''): readonly (readonly [string, string])[] {
  if (row === null || row === undefined) return [[path, '']];
  if (Array.isArray(row)) {
    const isFlat = row.every((each) => typeof each !== 'object');
    return [[path, isFlat ? row.join('; ') : JSON.stringify(row)]];
  }
  if (typeof row !== 'object') return [[path, typeof row === 'string' ? row : JSON.stringify(row)]];
  return Object.entries(row).flatMap(([name, value]) =>
    fieldsOf(value, path === '' ? name : `${path}.${name}`),
  );
}

/**
 * Rows of a list as a table: what is read on the screen, and the codes of the API beside it.
 *
 * @param shown headers and cells, as they are shown
 * @param rows of the API, as many as there are shown
 */
export function tableOf(
  shown: { readonly headers: readonly string[]; readonly cells: readonly (readonly string[])[] },
  rows: readonly unknown[],
): readonly (readonly string[])[] {
  const fields = rows.map((row) => new Map(fieldsOf(row)));
  const names = [...new Set(fields.flatMap((each) => [...each.keys()]))];
  return [
    [...shown.headers, ...names],
    ...fields.map((each, index) => [
      ...(shown.cells[index] ?? []),
      ...names.map((name) => each.get(name) ?? ''),
    ]),
  ];
}
