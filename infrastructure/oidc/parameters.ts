/** The words of a parameter that is a list of them; none when it is missing. */
export function wordsOf(parameter: unknown): readonly string[] {
  return typeof parameter === 'string' ? parameter.split(' ').filter((word) => word !== '') : [];
}

/** A parameter that is a text; null when it is missing. */
export function textOf(parameter: unknown): string | null {
  return typeof parameter === 'string' && parameter !== '' ? parameter : null;
}
