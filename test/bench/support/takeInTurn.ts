/** Things that one operation at a time may use. */
export interface Turns<Thing> {
  /** Resolves with the thing that has been free longest, once one is. */
  take(): Promise<Thing>;
  give(thing: Thing): void;
}

/** Lends `things` in turn, since the server ends a connection that is idle for long. */
export function takeInTurn<Thing>(things: readonly Thing[]): Turns<Thing> {
  const free = [...things];
  const waiting: ((thing: Thing) => void)[] = [];
  return {
    take: () => {
      const thing = free.shift();
      if (thing !== undefined) return Promise.resolve(thing);
      return new Promise((resolve) => waiting.push(resolve));
    },
    give: (thing) => {
      const next = waiting.shift();
      if (next === undefined) free.push(thing);
      else next(thing);
    },
  };
}
