import type { z } from 'zod';

type Schema = z.core.$ZodType;

/** Parts of a schema's definition that lead to others; each kind of schema has some of them. */
interface Definition {
  readonly type: string;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly out?: Schema;
  readonly options?: readonly Schema[];
  readonly left?: Schema;
  readonly right?: Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  readonly valueType?: Schema;
}

const definitionOf = (schema: Schema) => schema._zod.def as unknown as Definition;

/**
 * Names of the fields that the object at the path may have, in any of its forms.
 *
 * @returns empty where it is no object, or one of any fields
 */
export function knownFields(schema: Schema, path: readonly PropertyKey[]): ReadonlySet<string> {
  const objects = path.reduce<readonly Definition[]>(
    (outer, step) => outer.flatMap((each) => within(each, step)),
    formsOf(schema),
  );
  return new Set(objects.flatMap(({ shape = {} }) => Object.keys(shape)));
}

/** Forms of a value as it is sent, without what is done to it. */
function formsOf(schema: Schema): readonly Definition[] {
  const definition = definitionOf(schema);
  const { innerType, options, left, right } = definition;
  const inner = [innerType, sentOf(definition), ...(options ?? []), left, right].filter(
    (each) => each !== undefined,
  );
  return inner.length === 0 ? [definition] : inner.flatMap(formsOf);
}

/** The end of a pipe that describes what is sent: of a preprocessed value the second. */
function sentOf({ in: first, out }: Definition): Schema | undefined {
  return first !== undefined && definitionOf(first).type === 'transform' ? out : first;
}

function within({ shape, element, valueType }: Definition, step: PropertyKey) {
  const name = String(step);
  const field = shape !== undefined && Object.hasOwn(shape, name) ? shape[name] : undefined;
  const inner = field ?? element ?? valueType;
  return inner === undefined ? [] : formsOf(inner);
}
