import type { z } from 'zod';
import { faultOf } from '../../../api/problems/faultOf.ts';
import { faultText } from '../../../api/problems/faultTexts.ts';
import { placesOf, wholeOf } from './bounds.ts';

/** Fields that tell the forms of a body apart: without one the body is of another form, which has others. */
const ofForms = ['/generation', '/documents'];

/** Misspellings by a letter left out and by two that changed places. */
function misspellings(name: string): readonly string[] {
  // A name of two letters is near to nothing.
  if (name.length < 3) return [];
  const at = Math.max(1, Math.floor(name.length / 2));
  const [before, first = '', second = '', after] = [
    name.slice(0, at),
    name[at],
    name[at + 1],
    name.slice(at + 2),
  ];
  return [before + second + after, before + second + first + after].filter((each) => each !== name);
}

/**
 * Leaves each required field of a schema out, and sends it by a wrong name.
 *
 * @returns sentences on fields whose absence or misspelling is not told, and the number tried
 */
export function untoldFields(whole: z.ZodType): {
  readonly tried: number;
  readonly untold: readonly string[];
} {
  const untold: string[] = [];
  let tried = 0;
  const told = (pointer: string, request: unknown) =>
    (whole.safeParse(request, { error: faultText }).error?.issues ?? [])
      .filter(({ path }) => path.map((step) => `/${String(step)}`).join('') === pointer)
      .map((issue) => faultOf(issue, request, whole).detail);
  for (const { pointer, schema, around } of placesOf(wholeOf(whole))) {
    const properties = (schema['properties'] ?? {}) as Readonly<Record<string, object>>;
    const constants = Object.entries(properties).flatMap(([name, each]) =>
      'const' in each ? [[name, each.const] as const] : [],
    );
    for (const field of (schema['required'] ?? []) as readonly string[]) {
      const place = `${pointer}/${field}`;
      if (ofForms.includes(place)) continue;
      tried += 1;
      // The body of a nested session is told by its parameters or else by its interactions (contract §1).
      const nested = field === 'signatureProtocolParameters' ? { interactions: 'W10=' } : {};
      const known = constants.filter(([name]) => name !== field);
      const others = { ...nested, ...Object.fromEntries(known) };
      const absent = told(place, around(others));
      if (!absent.some((text) => text.startsWith('Is required.')) || absent.length > 1) {
        untold.push(`${place} absent: ${absent.join(' ') || 'nothing'}`);
      }
      const misspelt = misspellings(field)
        .map(
          (wrong) => [wrong, told(place, around({ ...others, [wrong]: 'x' })).join(' ')] as const,
        )
        .filter(([wrong, said]) => !said.includes(JSON.stringify(wrong)));
      untold.push(...misspelt.map(([wrong, said]) => `${place} as ${wrong}: ${said}`));
    }
  }
  return { tried, untold };
}
