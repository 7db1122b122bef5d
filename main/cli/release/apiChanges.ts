import {
  type Content,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  resolved,
} from './openApiDocument.ts';
import { type Direction, type Releases, schemaChanges } from './schemaChanges.ts';

/** Breaking changes of one operation. */
export interface BreakingChange {
  /** Method and path as released, for example `GET /v3/session/{sessionId}`. */
  readonly operation: string;
  /** One sentence each. */
  readonly changes: readonly string[];
}

/** Page files, whose paths contain a digest of their content, are no interface. */
const PAGE_FILE = /\/assets\//;

/**
 * Finds the changes that break callers of the released description (semantic versioning §8).
 *
 * @param released response of the last release at `/openapi.json`
 * @param present current description
 */
export function breakingChanges(
  released: OpenApiDocument,
  present: OpenApiDocument,
): readonly BreakingChange[] {
  const documents = { released, present };
  const now = new Map(operationsOf(present));
  return operationsOf(released)
    .map(([key, before]) => ({
      operation: before.title,
      changes: operationChanges(documents, before.operation, now.get(key)?.operation),
    }))
    .filter(({ changes }) => changes.length > 0);
}

interface Listed {
  readonly title: string;
  readonly operation: Operation;
}

/** Operations by method and path, parameters unnamed: renaming one does not affect callers. */
function operationsOf({ paths }: OpenApiDocument): readonly (readonly [string, Listed])[] {
  return Object.entries(paths)
    .filter(([path]) => !PAGE_FILE.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const title = `${method.toUpperCase()} ${path}`;
        return [title.replaceAll(/\{\w+\}/g, '{}'), { title, operation }] as const;
      }),
    );
}

function operationChanges(
  documents: Releases,
  released: Operation,
  present: Operation | undefined,
): readonly string[] {
  if (present === undefined) return ['it is gone'];
  return [
    ...nameChanges(released, present),
    ...securityChanges(released, present),
    ...parameterChanges(documents, released, present),
    ...bodyChanges(documents, released, present),
    ...answerChanges(documents, released, present),
  ];
}

/**
 * Operation names are part of the interface: discovery lists paths by them, and generated clients
 * name functions after them.
 */
function nameChanges({ operationId }: Operation, present: Operation): readonly string[] {
  return operationId === present.operationId ? [] : [`it is not called ${operationId} any more`];
}

function securityChanges(released: Operation, present: Operation): readonly string[] {
  const schemes = ({ security = [] }: Operation) => security.map((each) => JSON.stringify(each));
  const [before, now] = [schemes(released), schemes(present)];
  if (before.length === 0) return now.length === 0 ? [] : ['it is not public any more'];
  if (now.length === 0) return [];
  return before
    .filter((scheme) => !now.includes(scheme))
    .map((scheme) => `it does not take ${scheme} any more`);
}

function parameterChanges(
  documents: Releases,
  released: Operation,
  present: Operation,
): readonly string[] {
  const before = keyed(released.parameters);
  const now = keyed(present.parameters);
  const remaining = [...before].flatMap(([key, parameter]) => {
    const other = now.get(key);
    if (other === undefined) return [`parameter ${parameter.name} is gone`];
    const where = `parameter ${parameter.name}`;
    const demand = isDemanded(other) && !isDemanded(parameter) ? [`${where} must be sent`] : [];
    const pair = { released: parameter.schema ?? {}, present: other.schema ?? {} };
    return [...demand, ...schemaChanges(pair, { documents, direction: 'request', where })];
  });
  const added = [...now].filter(([key, parameter]) => !before.has(key) && isDemanded(parameter));
  return [...remaining, ...added.map(([, { name }]) => `parameter ${name} must be sent`)];
}

/** Parameters by name; path parameters by position. */
function keyed(parameters: readonly Parameter[] = []): ReadonlyMap<string, Parameter> {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  return new Map(
    parameters.map((parameter) => [
      parameter.in === 'path'
        ? `path ${inPath.indexOf(parameter)}`
        : `${parameter.in} ${parameter.name}`,
      parameter,
    ]),
  );
}

function isDemanded({ required = false }: Parameter): boolean {
  return required;
}

function bodyChanges(
  documents: Releases,
  { requestBody: released }: Operation,
  { requestBody: present }: Operation,
): readonly string[] {
  if (released === undefined) return present?.required === true ? ['a body must be sent'] : [];
  if (present === undefined) return ['it takes no body any more'];
  const pair = { released: released.content, present: present.content };
  return contentChanges(pair, { documents, direction: 'request', where: 'body' });
}

function answerChanges(
  documents: Releases,
  released: Operation,
  present: Operation,
): readonly string[] {
  return Object.entries(released.responses).flatMap(([status, answer]) => {
    // Faults may be listed together (OpenAPI 3.1 §4.8.16.1).
    const others = /^[45]/u.test(status) ? present.responses['default'] : undefined;
    const other = present.responses[status] ?? others;
    if (other === undefined) return [`it does not answer ${status} any more`];
    const before = resolved(answer, documents.released).content ?? {};
    const now = resolved(other, documents.present).content ?? {};
    const context = { documents, direction: 'response', where: status } as const;
    return contentChanges({ released: before, present: now }, context);
  });
}

function contentChanges(
  pair: { readonly released: Content; readonly present: Content },
  context: { readonly documents: Releases; readonly direction: Direction; readonly where: string },
): readonly string[] {
  return Object.entries(pair.released).flatMap(([mediaType, { schema = {} }]) => {
    const other = pair.present[mediaType];
    if (other === undefined) return [`${context.where} is no ${mediaType} any more`];
    return schemaChanges({ released: schema, present: other.schema ?? {} }, context);
  });
}
