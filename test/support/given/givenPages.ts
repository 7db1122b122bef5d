import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { launchChromium, leaveChromium } from '../browser/chromium.ts';
import { type Setup, type Visitor, visitorOf } from '../browser/visitors.ts';
import { type Given, given, type Wishes } from './given.ts';

/** A service with what was wished for, and a Chromium to look at its pages with. */
export interface GivenPages<Name extends string = never> extends Given<Name> {
  readonly browser: Browser;
  /** A browser of its own; English unless told otherwise. */
  visit(setup?: Setup): Promise<Visitor>;
  /** Closes the browsers of a test and expects that none complained. @param known addresses they may ask, besides */
  leave(known?: string): Promise<void>;
}

/**
 * @param switches further ones of Chromium
 * @returns null without Chromium, which is said on the console
 */
export async function givenPages<Name extends string = never>(
  wishes: Wishes<Name> = {},
  switches: readonly string[] = [],
): Promise<GivenPages<Name> | null> {
  const browser = await launchChromium(switches);
  if (browser === null) {
    console.log('    chromium is missing (package chromium): skipped');
    return null;
  }
  const world = await given(wishes);
  const visitors: Visitor[] = [];
  return {
    ...world,
    browser,
    visit: async (setup = {}) => {
      const visitor = await visitorOf(browser, world.origin, { language: 'en', ...setup });
      visitors.push(visitor);
      return visitor;
    },
    leave: async (known) => {
      const left = visitors.splice(0);
      for (const visitor of left) await visitor.leave();
      const isFault = (fault: string) =>
        known === undefined || !fault.startsWith(`asked for ${known}`);
      expect(left.flatMap(({ faults }) => faults.filter(isFault))).to.deep.equal([]);
    },
    stop: async () => {
      await leaveChromium(browser);
      await world.stop();
    },
  };
}
