import type { paths } from '#openapi';
import createClient from 'openapi-fetch';
import { problemIn } from './problem.ts';

/**
 * Client of the operator API, typed by its OpenAPI description: a changed endpoint fails to
 * compile. Credentials are HttpOnly cookies (api/console/cookies.ts).
 */
export const api = createClient<paths>({
  baseUrl: location.origin,
  credentials: 'same-origin',
  headers: { accept: 'application/json' },
});

/** Result of a call of {@link api}. */
interface Called<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** Body of a response. @throws ApiProblem when the call was refused */
export async function answerOf<Data>(call: Promise<Called<Data>>): Promise<Data> {
  const { data, error, response } = await call;
  if (!response.ok) throw problemIn(response, error);
  return data as Data;
}
