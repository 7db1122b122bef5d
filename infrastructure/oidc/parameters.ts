/** Values of a space-separated parameter; empty when it is missing. */
export function wordsOf(parameter: unknown): readonly string[] {
  return typeof parameter === 'string' ? parameter.split(' ').filter((word) => word !== '') : [];
}

/** A text parameter; null when it is missing. */
export function textOf(parameter: unknown): string | null {
  return typeof parameter === 'string' && parameter !== '' ? parameter : null;
}
