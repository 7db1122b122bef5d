/** A JSON Schema (2020-12) as in OpenAPI 3.1; only the keywords compared. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly contentEncoding?: string;
  readonly deprecated?: boolean;
  readonly description?: string;
  readonly [bound: string]: unknown;
}

/** Bodies by media type. */
export type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

export interface Answer {
  readonly $ref?: string;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly deprecated?: boolean;
  readonly 'x-deprecation'?: {
    readonly since: string;
    readonly sunset?: string;
    readonly successor?: string;
  };
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

/** Parts of an OpenAPI 3.1 document that define requests and responses. */
export interface OpenApiDocument {
  readonly info: { readonly version: string };
  /** Operations by path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Answer>>;
  };
}

/** Resolves a `$ref` into the components. @throws Error when there is no such component */
export function resolved<T extends { readonly $ref?: string }>(
  value: T,
  document: OpenApiDocument,
): T {
  const { $ref } = value;
  if ($ref === undefined) return value;
  const found = $ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>(
      (at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name],
      document,
    );
  if (found === undefined) throw new Error(`Unresolved reference: ${$ref}.`);
  return resolved(found as T, document);
}
