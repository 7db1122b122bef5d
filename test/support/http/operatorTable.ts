import { readFileSync } from 'node:fs';

/** A row of the specification's operator table; `capability` as it stands there. */
export interface SpecifiedRoute {
  readonly method: string;
  /** Whole, parameters as `{}`. */
  readonly path: string;
  readonly capability: string;
}

const fixture = 'test/fixtures/operatorApi.md';

/** The operator API as the specification tables it. */
export function operatorTable(): {
  readonly routes: readonly SpecifiedRoute[];
  /** By role; `null`: all. */
  readonly roles: ReadonlyMap<string, readonly string[] | null>;
} {
  const [routesPart = '', rolesPart = ''] = readFileSync(fixture, 'utf8').split('### Roles');
  const routes = cellsOf(routesPart).flatMap(([methods = '', paths = '', capability = '']) =>
    methods
      .split(', ')
      .flatMap((method) =>
        pathsIn(paths).map((path) => ({ method, path: `/v3/admin${path}`, capability })),
      ),
  );
  const roles = cellsOf(rolesPart).map(([role = '', capabilities = '']) => {
    const listed = capabilities === 'all' ? null : capabilities.split(', ');
    return [role, listed] as const;
  });
  return { routes, roles: new Map(roles) };
}

/** The rows of the tables in a text, without their heads. */
function cellsOf(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(([first = '']) => !/^(-+|Method|Role)$/.test(first));
}

/** A later path of one cell is whole, or takes the place of the last step of the first. */
function pathsIn(cell: string): readonly string[] {
  const [first = '', ...others] = Array.from(cell.matchAll(/`([^`]+)`/g), ([, path = '']) => path);
  const [root = ''] = first.slice(1).split('/');
  return [
    first,
    ...others.map((other) =>
      other.startsWith(`/${root}`) ? other : first.replace(/\/[^/]+$/, other),
    ),
  ].map(anonymous);
}

/** A path of the table or of a row, its query dropped and its parameters without their names. */
export function anonymous(path: string): string {
  return path
    .replace(/\?.*$/, '')
    .replaceAll(/\{\w+\}/g, '{}')
    .replaceAll(/[:*]\w+/g, '{}');
}
