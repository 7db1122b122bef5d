import type { paths } from '#openapi';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { PathsWithMethod } from 'openapi-typescript-helpers';
import { answerOf, api } from './client.ts';
import type { ApiProblem } from './problem.ts';

/** Addresses that can be read. */
export type ReadPath = PathsWithMethod<paths, 'get'>;
type Init<Path extends ReadPath> = MaybeOptionalInit<paths[Path], 'get'>;

/** What an address answers, as the description says. */
export type AnswerOf<Path extends ReadPath> = NonNullable<
  FetchResponse<NonNullable<paths[Path]['get']>, Init<Path>, 'application/json'>['data']
>;
/** A row of the list an address answers. */
export type RowOf<Path extends ReadPath> =
  AnswerOf<Path> extends { readonly items: readonly (infer Row)[] } ? Row : never;

export interface ReadOptions<Answer = unknown> {
  /** False: not yet. */
  readonly enabled?: boolean;
  /** Reads again this often, ms. */
  readonly every?: number;
  /** Once it holds, nothing is read again by itself. */
  readonly until?: (answer: Answer) => boolean;
}

/**
 * Reads an address and keeps what it answered under the address and its parameters. While another page of a list comes,
 * the last one stays (`isPlaceholderData`).
 *
 * ```ts
 * const list = useRead('/v3/admin/relying-parties', { params: { query: { limit, offset } } });
 * ```
 */
export function useRead<Path extends ReadPath>(
  path: Path,
  init: Init<Path>,
  { enabled = true, every, until }: ReadOptions<AnswerOf<Path>> = {},
): UseQueryResult<AnswerOf<Path>, ApiProblem> {
  return useQuery<AnswerOf<Path>, ApiProblem>({
    queryKey: [path, init],
    queryFn: ({ signal }) => read(path, init, signal),
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      every === undefined || (data !== undefined && until?.(data) === true) ? false : every,
  });
}

/** Reads an address once. @throws ApiProblem */
export function read<Path extends ReadPath>(
  path: Path,
  init: Init<Path>,
  signal?: AbortSignal,
): Promise<AnswerOf<Path>> {
  // The client's own signature spells the parameters as a rest tuple, which generic code cannot build.
  const get = api.GET as unknown as (
    path: string,
    init: object,
  ) => Promise<{ readonly data?: AnswerOf<Path>; readonly response: Response }>;
  return answerOf(get(path, { ...init, ...(signal === undefined ? {} : { signal }) }));
}
