import type { ColumnType as Selectable } from 'kysely';

/** PostgreSQL types of read-model columns. */
export type SqlType = 'text' | 'uuid' | 'boolean' | 'int8' | 'timestamptz' | 'jsonb' | 'tsvector';

declare const values: unique symbol;

/**
 * A column: the name of its SQL type, typed with its values.
 *
 * @typeParam Value in rows as folded and written
 * @typeParam Selected as queries read it
 */
export type Column<Value = unknown, Selected = Value> = SqlType & {
  readonly [values]?: readonly [Value, Selected];
};

/** The columns of one table, by name. */
export type Columns = Readonly<Record<string, Column>>;

type ValuesOf<Of extends Column> = NonNullable<Of[typeof values]>;

/** A row as folded: times are ISO 8601 strings. */
export type RowOf<Of extends Columns> = { readonly [Name in keyof Of]: ValuesOf<Of[Name]>[0] };

/** The table of these rows as kysely knows it: times are read as Date. */
export type TableOf<Of extends Columns> = {
  readonly [Name in keyof Of]: Selectable<
    ValuesOf<Of[Name]>[1],
    ValuesOf<Of[Name]>[0],
    ValuesOf<Of[Name]>[0]
  >;
};

/** Text; `Word`: one of these words. */
export const text = <Word extends string = string>() => 'text' as Column<Word>;
export const uuid = () => 'uuid' as Column<string>;
export const boolean = () => 'boolean' as Column<boolean>;
export const int8 = () => 'int8' as Column<bigint>;
/** A time: an ISO 8601 string in rows, a Date in answers of queries. */
export const timestamptz = () => 'timestamptz' as Column<string, Date>;
/** Plain data. */
export const jsonb = <Value>() => 'jsonb' as Column<Value>;
export const tsvector = () => 'tsvector' as Column<string>;

/** The same column, or null. */
export function nullable<Value, Selected>(
  column: Column<Value, Selected>,
): Column<Value | null, Selected | null> {
  return column;
}
