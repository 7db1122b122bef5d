import type { paths } from '#openapi';
import createClient from 'openapi-fetch';
import { problemIn } from './problem.ts';

/**
 * The operator API, typed by its description: a changed endpoint fails to compile. Credentials are cookies no script
 * reads (api/console/cookies.ts).
 */
export const api = createClient<paths>({
  baseUrl: location.origin,
  credentials: 'same-origin',
  headers: { accept: 'application/json' },
});

/** What a call of {@link api} resolves to. */
interface Called<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The answer's body. @throws ApiProblem when the call was refused */
export async function answerOf<Data>(call: Promise<Called<Data>>): Promise<Data> {
  const { data, error, response } = await call;
  if (!response.ok) throw problemIn(response, error);
  return data as Data;
}
