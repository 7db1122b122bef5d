import { z } from 'zod';
/** One setting. */
export interface Setting<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly description: string;
  /** Never shown; may also be read from the file that `<NAME>_FILE` names. */
  readonly secret: boolean;
  /** The default as documented. */
  readonly shown: string;
}

/** The default of a schema as it would be set; empty: it has none. */
function defaultOf(schema: z.ZodType): string {
  if (!(schema instanceof z.ZodDefault)) return '';
  const value: unknown = schema.def.defaultValue;
  return Array.isArray(value) ? value.join(',') : String(value);
}

/** @param shown the default as documented, where it is not what the schema says */
export function setting<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  shown = defaultOf(schema),
): Setting<Schema> {
  return { schema, description, shown, secret: false };
}

/** Declares a setting that is never shown; otherwise as `setting`. */
export function secret<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  shown = defaultOf(schema),
): Setting<Schema> {
  return { schema, description, shown, secret: true };
}

export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
export const objectIdentifier = z
  .string()
  .regex(/^[0-2](\.(0|[1-9]\d*)){2,}$/, 'must be a dotted object identifier');
export const count = (minimum: number, maximum: number) =>
  z.coerce.number().int().min(minimum).max(maximum);
