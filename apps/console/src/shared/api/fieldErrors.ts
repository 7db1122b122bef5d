import { ApiProblem } from './problem.ts';

/**
 * Converts a JSON pointer to a form's field name: `/firstAdmin/personEtsi` to
 * `firstAdmin.personEtsi`.
 */
function fieldOf(pointer: string): string {
  return pointer.replace(/^\//, '').replaceAll('/', '.');
}

function isIn(field: string, place: string): boolean {
  return place === field || place.startsWith(`${field}.`);
}

/**
 * Field errors of a refusal, for `form.setErrors`. Faults of a list's entries are shown at the
 * list.
 *
 * ```ts
 * .catch((error) => form.setErrors(fieldErrors(error, Object.keys(form.getValues()))))
 * ```
 */
export function fieldErrors(error: unknown, fields: readonly string[]): Record<string, string> {
  const faults = error instanceof ApiProblem ? error.faults : [];
  return Object.fromEntries(
    fields.flatMap((field) => {
      const those = faults.filter(({ pointer }) => isIn(field, fieldOf(pointer)));
      return those.length === 0 ? [] : [[field, those.map(({ detail }) => detail).join(' ')]];
    }),
  );
}
