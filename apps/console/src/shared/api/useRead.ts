import type { paths } from '#openapi';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { PathsWithMethod } from 'openapi-typescript-helpers';
import { answerOf, api } from './client.ts';
import type { ApiProblem } from './problem.ts';

/** Paths with GET. */
export type ReadPath = PathsWithMethod<paths, 'get'>;
type Init<Path extends ReadPath> = MaybeOptionalInit<paths[Path], 'get'>;

/** Response type of a path, from the API's description. */
export type AnswerOf<Path extends ReadPath> = NonNullable<
  FetchResponse<NonNullable<paths[Path]['get']>, Init<Path>, 'application/json'>['data']
>;
/** Row type of a list. */
export type RowOf<Path extends ReadPath> =
  AnswerOf<Path> extends { readonly items: readonly (infer Row)[] } ? Row : never;

export interface ReadOptions<Answer = unknown> {
  /** False: do not read yet. */
  readonly enabled?: boolean;
  /** Polling interval, ms. */
  readonly every?: number;
  /** Stops polling once it holds. */
  readonly until?: (answer: Answer) => boolean;
}

/** Part of a list that is read beside the one shown. */
export interface ListPart {
  readonly limit: number;
  readonly offset: number;
  readonly snapshot?: string | undefined;
}

/** Answer of a path as far as it is there. */
export type ReadResult<Path extends ReadPath> = UseQueryResult<AnswerOf<Path>, ApiProblem> & {
  /** Reads another part of the list with the same filters, once. @throws ApiProblem */
  readonly readPart: (part: ListPart) => Promise<AnswerOf<Path>>;
};

/**
 * Reads a path; the response is cached by path and parameters. While another page of a list loads,
 * the previous one stays (`isPlaceholderData`).
 *
 * ```ts
 * const list = useRead('/v3/admin/relying-parties', { params: { query: { limit, offset } } });
 * ```
 */
export function useRead<Path extends ReadPath>(
  path: Path,
  init: Init<Path>,
  { enabled = true, every, until }: ReadOptions<AnswerOf<Path>> = {},
): ReadResult<Path> {
  const result = useQuery<AnswerOf<Path>, ApiProblem>({
    queryKey: [path, init],
    queryFn: ({ signal }) => read(path, init, signal),
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      every === undefined || (data !== undefined && until?.(data) === true) ? false : every,
  });
  return { ...result, readPart: (part) => read(path, withQuery(init, part)) };
}

/** The same request with these parameters. */
function withQuery<Path extends ReadPath>(init: Init<Path>, part: ListPart): Init<Path> {
  const { params = {} } = init as { readonly params?: { readonly query?: object } };
  // Cast: generic code cannot say that a list takes them.
  return {
    ...init,
    params: { ...params, query: { ...params.query, ...part } },
  } as unknown as Init<Path>;
}

/** Reads a path once. @throws ApiProblem */
export function read<Path extends ReadPath>(
  path: Path,
  init: Init<Path>,
  signal?: AbortSignal,
): Promise<AnswerOf<Path>> {
  // Cast: the client's signature has a rest tuple, which generic code cannot build.
  const get = api.GET as unknown as (
    path: string,
    init: object,
  ) => Promise<{ readonly data?: AnswerOf<Path>; readonly response: Response }>;
  return answerOf(get(path, { ...init, ...(signal === undefined ? {} : { signal }) }));
}
