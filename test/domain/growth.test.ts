import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { declarations, type PlatformEvent } from '../../domain/events.ts';
import type { Decider, DomainEvent } from '../../domain/shared/decider.ts';
import { sampleEvents, sampleVariants } from '../support/events/sampleEvents.ts';

const domain = join(dirname(fileURLToPath(import.meta.url)), '../../domain');

type AnyDecider = Decider<unknown, never, DomainEvent>;

/** Categories whose events no command reads: appended without folding, or read by page. */
const unread = [
  'access',
  'operatorAccess',
  'madeDocument',
  'notice',
  'oidcAccess',
  'registerImport',
  'seal',
  'signIn',
];

/** Aggregates whose state may grow by an event, and what bounds it. */
const bounded: Readonly<Record<string, string>> = {
  device: 'the two PINs of a phone, each locked once',
  document: 'mostChanges (500) files and signings',
  issuingCa: 'generations of one kind, nine at most',
  operators: 'operators of one installation; only operators add them, under four eyes',
  relyingParty:
    'organizations it seals for, under four eyes; its subsystems, whose number is bounded when seen',
  representation: 'persons of one organization, each confirmed by an ADMIN',
  session: 'batchSize.atMost (20) documents, signed in one append',
};

/** Categories that their decider is not named after. */
const otherCategories: Readonly<Record<string, string>> = {
  article: 'knowledgeArticle',
  prompt: 'assistantPrompt',
  logIdentity: 'log',
};

/** Every decider by the category of its streams. */
async function deciders(): Promise<ReadonlyMap<string, AnyDecider>> {
  const found = new Map<string, AnyDecider>();
  for (const file of readdirSync(domain, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.js')) continue;
    const exported = (await import(pathToFileURL(join(domain, file)).href)) as object;
    for (const [name, value] of Object.entries(exported)) {
      const [, of] = /^(\w+)Decider$/.exec(name) ?? [];
      if (of !== undefined) found.set(otherCategories[of] ?? of, value as AnyDecider);
    }
  }
  return found;
}

/** Every event of a category as often as there are fixtures of it. */
function samplesOf(category: string): readonly PlatformEvent[] {
  const types = declarations.flatMap((each) =>
    each.category === category ? Object.keys(each.events) : [],
  );
  return [...Object.values(sampleEvents), ...Object.values(sampleVariants)].filter(({ type }) =>
    types.includes(type),
  );
}

/** The value a number of hours later, under other names; constants stay. */
function other(value: unknown, hours: number): unknown {
  if (typeof value === 'string') {
    if (/^\d{4}-\d\d-\d\dT/.test(value))
      return new Date(Date.parse(value) + hours * 3_600_000).toISOString();
    return /^[A-Z][A-Z_0-9]*$/.test(value) ? value : `${value}-${hours}`;
  }
  if (Array.isArray(value)) return value.map((each) => other(each, hours));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, other(each, hours)]),
  );
}

const entriesOf = (value: object): readonly unknown[] =>
  value instanceof Map || value instanceof Set ? [...value.values()] : Object.values(value);

/** Number of entries of all objects in `after` that are not in `before`: what an event had to copy or add. */
function copied(before: unknown, after: unknown): number {
  const seen = new Set<object>();
  const visit = (root: unknown): number => {
    let entries = 0;
    const open = [root];
    for (let value = open.pop(); open.length > 0 || value !== undefined; value = open.pop()) {
      if (typeof value !== 'object' || value === null || seen.has(value)) continue;
      seen.add(value);
      const within = entriesOf(value);
      entries += within.length;
      open.push(...within.filter((each) => typeof each === 'object' && each !== null));
    }
    return entries;
  };
  visit(before);
  return visit(after);
}

/** Entries that the last of so many events of one type copies: the most over the types and over what was there before. */
function mostCopied(
  { initial, evolve }: AnyDecider,
  samples: readonly DomainEvent[],
  times: number,
): number {
  const starts = [samples.slice(0, 1), samples].map((events) => events.reduce(evolve, initial));
  const last = starts.flatMap((start) =>
    samples.map(({ type, data }) => {
      let [before, after] = [start, start];
      for (let time = 1; time <= times; time += 1) {
        before = after;
        after = evolve(before, { type, data: other(data, time) as object });
      }
      return copied(before, after);
    }),
  );
  return Math.max(...last);
}

describe('N1: the state of an aggregate', () => {
  it('is copied by no event the more events there were, or its growth is bounded', async () => {
    const growing: string[] = [];
    for (const [name, decider] of await deciders()) {
      const samples = samplesOf(name);
      expect(samples, `events of ${name}`).not.to.have.length(0);
      if (mostCopied(decider, samples, 80) > mostCopied(decider, samples, 40)) growing.push(name);
    }
    expect(growing.sort()).to.deep.equal(Object.keys(bounded));
  });

  it('is that of every category with commands', async () => {
    const known = [...(await deciders()).keys(), ...unread];
    const categories = declarations.map(({ category }) => category);
    expect(categories.filter((category) => !known.includes(category))).to.deep.equal([]);
  });

  it('would be found out where an event copies all earlier ones', () => {
    const list: AnyDecider = {
      initial: [],
      evolve: (state, event) => [...(state as unknown[]), event],
      decide: () => [],
    };
    const samples = samplesOf('madeDocument');
    expect(mostCopied(list, samples, 80)).to.be.greaterThan(mostCopied(list, samples, 40));
  });
});
