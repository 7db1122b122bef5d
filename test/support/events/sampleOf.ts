import type { z } from 'zod';
import type { Shape } from '../../../domain/shared/eventFields.ts';

/** Values that code parses, by the name of their field. */
const texts: Readonly<Record<string, string>> = {
  civilId: '110000000001',
  register: '5512345',
  capability: 'cert:revoke',
};

/** A value of each of these fields, made from its schema; the same at every call. */
export function sampleOf(shape: Shape): object {
  return Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, valueOf(field, name)]),
  );
}

function valueOf(field: z.core.$ZodType, name: string): unknown {
  const { def } = (field as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return texts[name] ?? (name.endsWith('At') ? '2026-01-01T00:01:00.000Z' : `sample-${name}`);
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'enum':
      return Object.values(def.entries)[0];
    case 'nullable':
      return valueOf(def.innerType, name);
    case 'array':
      return [valueOf(def.element, name)];
    case 'record':
      return { key: `sample-${name}` };
    case 'object':
      return sampleOf(def.shape as Shape);
    case 'union':
      return valueOf(def.options[0] as z.core.$ZodType, name);
    default:
      throw new Error(`sampleOf() cannot make a ${def.type} for the field ${name}.`);
  }
}
