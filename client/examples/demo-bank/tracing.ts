import { AsyncLocalStorage } from 'node:async_hooks';
import type { HttpCall } from '@tamga/client';

/** A step of a flow: the source lines that ran and their HTTP calls. */
export interface Step {
  /** Name of the `#region` that ran; see `sources.ts`. */
  readonly name: string;
  readonly calls: TracedCall[];
}

/** A call and the number of its repetitions with the same answer, as in long polling. */
export type TracedCall = HttpCall & { readonly times: number };

/** Step to which calls of this asynchronous context are added. */
const currentStep = new AsyncLocalStorage<Step>();

/** Runs `work`, the region of that name, and records its calls. A repeated step is extended. */
export function traced<Result>(
  { steps }: { readonly steps: Step[] },
  name: string,
  work: () => Result,
): Result {
  const known = steps.find((step) => step.name === name);
  const step = known ?? { name, calls: [] };
  if (known === undefined) steps.push(step);
  return currentStep.run(step, work);
}

/** The client's `onCall`. */
export function noteCall(call: HttpCall): void {
  const calls = currentStep.getStore()?.calls;
  const last = calls?.at(-1);
  if (last !== undefined && isSame(last, call)) {
    calls?.splice(-1, 1, { ...call, times: last.times + 1 });
  } else {
    calls?.push({ ...call, times: 1 });
  }
}

function isSame(one: HttpCall, other: HttpCall): boolean {
  const told = ({ method, route, status, response }: HttpCall) =>
    JSON.stringify([method, route, status, response]);
  return told(one) === told(other);
}

/** Recording `fetch` for the library's revocation checks. */
export const notingFetch: typeof fetch = async (input, init) => {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  const startedAt = Date.now();
  const response = await fetch(input, init);
  const sent = init?.body instanceof Uint8Array ? init.body.length : null;
  const body = (headers: Headers, length: number) =>
    ({ type: 'bytes', contentType: headers.get('content-type') ?? '', length }) as const;
  noteCall({
    method: init?.method ?? 'GET',
    route: pathname,
    path: pathname + search,
    startedAt,
    request: sent === null ? null : body(new Headers(init?.headers), sent),
    status: response.status,
    response: body(response.headers, Number(response.headers.get('content-length'))),
    requestId: response.headers.get('x-request-id'),
    traceId: response.headers.get('x-trace-id'),
    durationMs: Date.now() - startedAt,
  });
  return response;
};
