import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { clientLibrary } from '../support/clocks/clientLibrary.ts';
import type { ClockCase, ClockCases } from '../support/clocks/clockCases.ts';
import { madeElsewhere } from '../support/clocks/madeElsewhere.ts';
import { madeHere } from '../support/clocks/madeHere.ts';
import { openIdClients } from '../support/clocks/openIdClients.ts';
import { takenHere } from '../support/clocks/takenHere.ts';

const secondsOf = { s: 1, min: 60, day: 86_400 } as const;

/** Slack in seconds, as the page states it first. */
function slackOf(cell: string): number {
  if (cell.startsWith('none')) return 0;
  const [, count = '', unit = ''] = /(\d+) (s|min|day)\b/.exec(cell) ?? [];
  return Number(count) * secondsOf[unit as keyof typeof secondsOf];
}

const [, section = ''] = readFileSync('docs/operations.md', 'utf8').split('\n## Clocks\n');
/** Slack of each moment of the page's table. */
const page = new Map(
  (section.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (Moment|---)/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, moment = '', , , slack = '']) => [moment, slackOf(slack)]),
);

describe('F18, O7: Our clock beside another machine’s', function () {
  this.timeout(60_000);
  let cases: ClockCases;
  const stops: (() => Promise<void>)[] = [];

  before(async () => {
    const opened = [
      await madeHere(),
      await madeElsewhere(),
      await openIdClients(),
      await clientLibrary(),
    ];
    for (const { stop } of opened) stops.push(stop);
    cases = Object.assign({}, await takenHere(), ...opened.map((each) => each.cases)) as ClockCases;
  });
  after(() => Promise.all(stops.map((stop) => stop())));

  it('has a case for each moment of the page, and no other', () => {
    expect(Object.keys(cases).sort()).to.deep.equal([...page.keys()].sort());
  });

  for (const [moment, slack] of page) {
    it(`${moment}: ${slack} s`, async () => {
      const { ahead, late, heldBy }: ClockCase = cases[moment] ?? {};
      expect(ahead ?? late ?? heldBy, 'case').not.to.equal(undefined);
      if (heldBy !== undefined) {
        expect(readFileSync(`test/${heldBy[0]}.test.ts`, 'utf8')).to.include(`it('${heldBy[1]}'`);
      }
      for (const [direction, isTaken] of Object.entries({ ahead, late })) {
        if (isTaken === undefined) continue;
        const taken: boolean[] = [];
        for (const seconds of [slack - 1, slack, slack + 1]) taken.push(await isTaken(seconds));
        expect(taken, direction).to.deep.equal([true, true, false]);
      }
    });
  }
});
