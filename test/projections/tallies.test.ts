import { expect } from 'chai';
import fc from 'fast-check';
import type { AnyReadModel, RowChange } from '../../projections/engine/readModel.ts';
import { percentilesOf, stepOf } from '../../projections/models/sessions.ts';
import { createTallySums } from '../../projections/engine/rows.ts';

describe('The tallies of a read model', () => {
  const model = {
    tally: ({ state }: { state: string }) => [
      { metric: 'row', bucket: '2026-01-01T00:00:00.000Z', relyingPartyId: '', label: state },
    ],
  } as unknown as AnyReadModel;
  const row = (state: string) => ({ state, revision: 0n });
  const change = (before: string | undefined, after: string): RowChange => ({
    before: before === undefined ? undefined : row(before),
    after: row(after),
    isArchived: false,
  });

  it('are those of its rows as they are now, whatever happened to each on the way', () => {
    const states = fc.constantFrom('running', 'ok', 'refused');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), states)), (steps) => {
        const rows = new Map<string, string>();
        const sums = createTallySums(model);
        for (const [id, state] of steps) {
          sums.add(new Map([[id, change(rows.get(id), state)]]));
          rows.set(id, state);
        }
        const expected = new Map<string, number>();
        for (const state of rows.values()) expected.set(state, (expected.get(state) ?? 0) + 1);
        const counted = new Map(
          Array.from(sums.growth.values(), (each) => [each.label, each.grown]),
        );
        expect(counted).to.deep.equal(expected);
      }),
    );
  });

  it('can be taken back to what they were', () => {
    const sums = createTallySums(model);
    sums.add(new Map([['a', change(undefined, 'running')]]));
    const copy = sums.copy();
    sums.add(new Map([['a', change('running', 'ok')]]));
    expect(Array.from(copy.growth.values(), ({ label }) => label)).to.deep.equal(['running']);
  });
});

describe('Percentiles of times counted in steps', () => {
  it('are a tenth off at most', () => {
    const times = fc.array(fc.integer({ min: 10, max: 600_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(times, (milliseconds) => {
        const steps = new Map<number, number>();
        for (const each of milliseconds)
          steps.set(stepOf(each), (steps.get(stepOf(each)) ?? 0) + 1);
        const sorted = milliseconds.toSorted((a, b) => a - b);
        const found = percentilesOf(steps);
        expect(found.count).to.equal(milliseconds.length);
        for (const [share, shown] of [
          [0.5, found.p50],
          [0.95, found.p95],
          [0.99, found.p99],
        ] as const) {
          const exact = sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
          expect((shown ?? 0) / exact).to.be.within(0.9, 1.1);
        }
      }),
    );
  });
});
