import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { eventually } from '../assertions/eventually.ts';
import type { EndsWorld } from './endsWorld.ts';

/** Things of one kind, and each cause that ends them. */
export interface Endings<Thing> {
  /** Issues one. */
  issue(): Promise<Thing>;
  /** Uses it at the other process. @returns what was answered */
  use(thing: Thing): Promise<string>;
  /** Answer while it is good; default: `200`. */
  readonly works?: string;
  /** Answers once it has ended. */
  readonly refused: RegExp;
  /** True when its use ends it: another one then shows that it works. */
  readonly once?: boolean;
  /** Ways it ends, by the cause as the page has it. */
  readonly ends: Readonly<Record<string, readonly ((thing: Thing) => Promise<unknown>)[]>>;
  /** True when the other process remembers it until it is told of its end. */
  readonly remembered?: boolean;
  /** Undoing, by cause. */
  readonly undo?: Readonly<Record<string, (thing: Thing) => Promise<unknown>>>;
}

/** One case: something is issued and works, is ended, is refused. */
export interface EndCase {
  readonly cause: string;
  run(world: EndsWorld): Promise<void>;
}

/** Cases of one kind of thing. */
export function casesOf<Thing>(endings: Endings<Thing>): readonly EndCase[] {
  const {
    issue,
    use,
    works = '200',
    refused,
    once = false,
    remembered = false,
    ends,
    undo = {},
  } = endings;
  return Object.entries(ends).flatMap(([cause, ways]) =>
    ways.map((end) => ({
      cause,
      async run({ hold, untilTold }) {
        const thing = await issue();
        const shown = once ? await issue() : thing;
        // The other process knows what was just issued a moment later.
        if (once) expect(await use(shown), 'given').to.equal(works);
        else await eventually(async () => expect(await use(shown), 'given').to.equal(works));

        hold();
        await end(thing);
        if (remembered) await untilTold();

        expect(await use(thing), 'ended').to.match(refused);
        if (undo[cause] === undefined) return;
        await undo[cause](thing);
        if (remembered) await untilTold();
        expect(await use(thing), 'undone').to.equal(works);
      },
    })),
  );
}

/** A case that a cheaper test holds. */
export function heldBy(cause: string, file: string, title: string): EndCase {
  return {
    cause,
    run: () => {
      expect(readFileSync(`test/${file}.test.ts`, 'utf8')).to.include(`it('${title}'`);
      return Promise.resolve();
    },
  };
}

/** Cases by the row of the page. */
export type EndRows = (world: () => EndsWorld) => Readonly<Record<string, readonly EndCase[]>>;
