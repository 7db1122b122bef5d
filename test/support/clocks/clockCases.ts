/** Comparison of one moment of the page's table, by what is taken at which difference. */
export interface ClockCase {
  /** Tells whether it is taken when the clock of who made it is so many seconds ahead; absent: not compared so. */
  readonly ahead?: (seconds: number) => Promise<boolean> | boolean;
  /** Tells whether it is taken so many seconds after its last moment; absent: it has none. */
  readonly late?: (seconds: number) => Promise<boolean> | boolean;
  /** File and title of the test that holds it instead. */
  readonly heldBy?: readonly [file: string, title: string];
}

/** Cases by the moment, as the page names it. */
export type ClockCases = Readonly<Record<string, ClockCase>>;

/** Tells whether the work ends without a refusal. */
export async function isTaken(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}

/** Does again what the machine's clock moved on to another second under. @param work takes the second, since 1970 */
export async function withinASecond<Result>(
  work: (second: number) => Promise<Result>,
): Promise<Result> {
  const second = () => Math.floor(Date.now() / 1000);
  for (;;) {
    const begun = second();
    const result = await work(begun);
    if (second() === begun) return result;
  }
}
