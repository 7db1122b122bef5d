import { ApiProblem } from './problem.ts';

/** Where a fault is, as forms name their fields: `firstAdmin.personEtsi` for `/firstAdmin/personEtsi`. */
function fieldOf(pointer: string): string {
  return pointer.replace(/^\//, '').replaceAll('/', '.');
}

function isIn(field: string, place: string): boolean {
  return place === field || place.startsWith(`${field}.`);
}

/**
 * What a refusal says about the fields of a form, as `form.setErrors` takes it. Faults of a list's entries count for the
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
