import { z } from 'zod';

// Schemas that fields of events are declared with. Their types are deeply read-only: an event is never changed.

/** A schema of one field. */
export type Field<Value = unknown> = z.ZodType<Value>;

/** The fields of an object, by name. */
export type Shape = Readonly<Record<string, Field>>;

/** The type of an object with these fields. */
export type Fields<Of extends Shape> = { readonly [Name in keyof Of]: z.output<Of[Name]> };

/** The type of a field's values. */
export type ValueOf<Of extends Field> = z.output<Of>;

export const text: Field<string> = z.string();
export const number: Field<number> = z.number();
export const boolean: Field<boolean> = z.boolean();

/** Texts by name, both free. */
export const textMap: Field<Readonly<Record<string, string>>> = z.record(z.string(), z.string());

/** One of these words. */
export function oneOf<const Word extends string>(words: readonly Word[]): Field<Word> {
  return z.enum(words);
}

/** The field, or null: a field is never left out. */
export function nullable<Value>(field: Field<Value>): Field<Value | null> {
  return field.nullable();
}

/** Any number of values of one kind, in an order of meaning. */
export function list<Value>(of: Field<Value>): Field<readonly Value[]> {
  return z.array(of);
}

/** An object with these fields and no others. */
export function object<const Of extends Shape>(shape: Of): Field<Fields<Of>> {
  return z.strictObject(shape) as Field as Field<Fields<Of>>;
}

/** One of several objects, told apart by the field named first. */
export function variants<const Of extends readonly [Shape, ...Shape[]]>(
  discriminator: keyof Of[number] & string,
  shapes: Of,
): Field<Fields<Of[number]>> {
  const [first, ...others] = shapes.map((shape) => z.strictObject(shape));
  if (first === undefined) throw new Error('variants() needs at least one shape.');
  return z.discriminatedUnion(discriminator, [first, ...others]) as Field as Field<
    Fields<Of[number]>
  >;
}

/** The schema of an event's `data`: these fields and no others. */
export function schemaOf(shape: Shape): z.ZodType<object> {
  return z.strictObject(shape);
}
