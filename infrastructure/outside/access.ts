import { type Dependency, NotReady, Unavailable } from '../../application/ports/faults.ts';

/** Bound of the calls of this process to one outside system. */
export interface OutsideBound {
  /** Calls that run at once; one that does not end keeps its place, as it may keep a thread. */
  readonly most: number;
  /** Milliseconds from the call to its answer, the wait for a place included. */
  readonly timeoutMs: number;
}

export interface OutsideAccessOptions extends OutsideBound {
  readonly dependency: Dependency;
  /** Error of a call that got no place or no answer in time; default {@link Unavailable}. */
  readonly refusal?: (cause: Error) => Error;
  /** True of errors of a call that are an outage; default: {@link Unavailable}. */
  readonly isOutage?: (error: unknown) => boolean;
}

/** Bounded calls to one outside system, so that one that hangs holds its own places and nothing else. */
export interface OutsideAccess {
  /**
   * @param onLate gets the result that nobody waits for any more, to close what was opened
   * @throws the refusal: too many wait, or there was no answer in time; at once while every place hangs
   */
  run<Result>(work: () => Promise<Result>, onLate?: (result: Result) => unknown): Promise<Result>;
  /** Runs once there is a place, however late: closing, which nobody waits for. */
  later(work: () => Promise<unknown>): void;
  /** For `/readyz`. @throws NotReady while calls hang, or for five minutes after one failed and none succeeded */
  check(): Promise<void>;
}

/** A call that waits for a place. */
interface Call {
  /** @param end gives the place back */
  begin(end: () => void): void;
  refuse(cause: Error): void;
}

/** Calls that may wait for a place. */
const MOST_WAITING = 256;
/** Time a failure counts without further calls, ms. */
const FAILURE_MS = 5 * 60_000;

export function createOutsideAccess({
  dependency,
  most,
  timeoutMs,
  refusal = (cause) => new Unavailable(dependency, cause),
  isOutage = (error) => error instanceof Unavailable,
}: OutsideAccessOptions): OutsideAccess {
  const waiting = new Set<Call>();
  let running = 0;
  let hanging = 0;
  let failedAt: number | null = null;

  const hung = () =>
    new Error(`${hanging} of at most ${most} calls have not ended for ${timeoutMs / 1000} s.`);

  function begin(call: Call): void {
    running += 1;
    call.begin(() => {
      running -= 1;
      for (const next of waiting) {
        if (running >= most) return;
        waiting.delete(next);
        begin(next);
      }
    });
  }

  function queue(call: Call): void {
    if (running < most) begin(call);
    else waiting.add(call);
  }

  function hangs(): void {
    hanging += 1;
    // Refuses waiting calls at once: no place comes free while all of them hang.
    if (hanging >= most) for (const call of waiting) call.refuse(hung());
  }

  return {
    run: (work, onLate = () => undefined) =>
      new Promise((resolve, reject) => {
        const tooMany = running >= most && waiting.size >= MOST_WAITING;
        if (hanging >= most || tooMany) {
          const cause = tooMany ? new Error(`${MOST_WAITING} calls are already waiting.`) : hung();
          reject(refusal(cause));
          return;
        }
        let state: 'waiting' | 'running' | 'refused' = 'waiting';
        const refuse = (cause: Error) => {
          clearTimeout(timer);
          waiting.delete(call);
          reject(refusal(cause));
        };
        const timer = setTimeout(() => {
          const isRunning = state === 'running';
          state = 'refused';
          refuse(new Error(`There was no answer within ${timeoutMs / 1000} s.`));
          if (isRunning) hangs();
        }, timeoutMs);
        const call: Call = {
          refuse,
          begin(end) {
            state = 'running';
            const settle = (deliver: () => unknown, late: () => unknown) => {
              clearTimeout(timer);
              if (state === 'running') deliver();
              else {
                hanging -= 1;
                late();
              }
              end();
            };
            work().then(
              (result) => {
                failedAt = null;
                settle(
                  () => resolve(result),
                  () => onLate(result),
                );
              },
              (error: unknown) => {
                if (isOutage(error)) failedAt = performance.now();
                settle(
                  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passed on as it came
                  () => reject(error),
                  () => undefined,
                );
              },
            );
          },
        };
        queue(call);
      }),
    later(work) {
      queue({
        refuse: () => undefined,
        begin(end) {
          let isHanging = false;
          const timer = setTimeout(() => {
            isHanging = true;
            hangs();
          }, timeoutMs);
          const settle = () => {
            clearTimeout(timer);
            if (isHanging) hanging -= 1;
            end();
          };
          work().then(settle, settle);
        },
      });
    },
    check() {
      if (hanging > 0) return Promise.reject(new NotReady(hung().message));
      const isFailing = failedAt !== null && performance.now() - failedAt < FAILURE_MS;
      return isFailing ? Promise.reject(new NotReady('The last call failed.')) : Promise.resolve();
    },
  };
}

/** Wraps an adapter: each of its calls runs within the bound. */
export function withinBound<Adapter extends object>(
  access: Pick<OutsideAccess, 'run'>,
  adapter: Adapter,
): Adapter {
  const wrapped = Object.entries(adapter).map(([name, member]: [string, unknown]) => [
    name,
    typeof member === 'function'
      ? (...parameters: unknown[]) =>
          access.run(() => (member as (...all: unknown[]) => Promise<unknown>)(...parameters))
      : member,
  ]);
  return Object.fromEntries(wrapped) as Adapter;
}
