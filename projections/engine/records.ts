import type { Columns } from './columns.ts';
import type { DeclaredReadModel } from './readModel.ts';

// Rows as records: a field for each column, named as TypeScript names things (ADR 71).

/** `civil_id` as a field: `civilId`. */
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

/** Value in records: a time is an ISO 8601 string there, a whole number is a number. */
type FieldOf<Value> = Value extends Date ? string : Value extends bigint ? number : Value;

/** A row as a record. */
export type RecordOf<Row> = {
  readonly [Name in keyof Row & string as Camel<Name>]: FieldOf<Row[Name]>;
};

/** `civil_id` as a field: `civilId`. */
function fieldName(column: string): string {
  return column.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The columns of a read model but these, in the order of their declaration. */
export function columnsBut<const Of extends Columns, const Name extends keyof Of & string = never>(
  { columns }: DeclaredReadModel<string, Of>,
  ...hidden: readonly Name[]
): readonly Exclude<keyof Of & string, Name>[] {
  const left = new Set<string>(hidden);
  return Object.keys(columns).filter((column) => !left.has(column)) as Exclude<
    keyof Of & string,
    Name
  >[];
}

/** Makes records of rows, with these columns and no others; what a JSON column holds stays as it is. */
export function records<const Name extends string>(
  columns: readonly Name[],
): <Row extends Readonly<Record<Name, unknown>>>(row: Row) => RecordOf<Pick<Row, Name>> {
  const fields = columns.map((column) => [column, fieldName(column)] as const);
  return <Row extends Readonly<Record<Name, unknown>>>(row: Row) => {
    const record: Record<string, unknown> = {};
    for (const [column, field] of fields) record[field] = fieldValue(row[column]);
    return record as RecordOf<Pick<Row, Name>>;
  };
}

function fieldValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? Number(value) : value;
}
