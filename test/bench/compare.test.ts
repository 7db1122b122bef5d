import { expect } from 'chai';
import { renderComparison } from './compare.ts';
import { measured, row } from './support/measure.ts';
import type { ScenarioReport } from './support/report.ts';

const reports = (values: Readonly<Record<string, number>>): readonly ScenarioReport[] => [
  {
    id: 'P2',
    title: 'Full cycle',
    seconds: 1,
    notes: [],
    rows: Object.entries(values).map(([measure, value]) =>
      row(measure, 'µs', { subject: measured('service', [value]) }),
    ),
  },
];

describe('A comparison of two builds', () => {
  const lineOf = (measure: string, ours: readonly number[], theirs: readonly number[]) => {
    const text = renderComparison('v1', {
      here: ours.map((value) => reports({ [measure]: value })),
      there: theirs.map((value) => reports({ [measure]: value })),
    });
    return text.split('\n').find((line) => line.startsWith('P2 ')) ?? '';
  };

  it('calls a difference one when no run of a build lies among those of the other', () => {
    expect(lineOf('cost', [11, 12, 13], [8, 9, 10])).to.match(/12\.0.*\+33 % +HIGHER$/u);
    expect(lineOf('cost', [5, 6, 7], [8, 9, 10])).to.match(/-33 % +LOWER$/u);
  });

  it('leaves in the noise what overlaps', () => {
    expect(lineOf('cost', [5, 6, 8.5], [8, 9, 10])).to.match(/-33 % +within the noise$/u);
  });

  it('does not judge by two runs, nor what the other build does not measure', () => {
    expect(lineOf('cost', [5, 6], [8, 9])).to.match(/too few runs to tell$/u);
    const text = renderComparison('v1', {
      here: [reports({ new: 1 }), reports({ new: 1 }), reports({ new: 1 })],
      there: [reports({ old: 1 }), reports({ old: 1 }), reports({ old: 1 })],
    });
    expect(text).to.match(/P2 new.*not measured there$/mu);
  });
});
