import { readFileSync } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { OperatorRole } from '../../../domain/operator/capabilities.ts';
import { endTest, type Setup, type Visitor, visitorOf } from '../browser/visitors.ts';
import { givenPages } from '../given/givenPages.ts';
import type { DemoInstallation } from '../installation/demoInstallation.ts';
import type { OperatorWorld, SignedInOperator } from './operatorWorld.ts';
import type { Settings } from '../installation/serviceProcess.ts';
import { steadyPort } from '../programs/ports.ts';
import { SHOWN_PAGES } from '../runner/shownPages.ts';
import { settled } from '../browser/settledPage.ts';

/** The whole program with the console's role, one Chromium, operators who sign in for real. */
export interface ConsoleWorld {
  readonly demo: DemoInstallation;
  readonly operators: OperatorWorld;
  /** Origin of the console. */
  readonly origin: string;
  /** A browser nobody signed in with. */
  visit(setup?: Setup): Promise<Visitor>;
  /**
   * The browser of an operator of this role, one for each language. Tests of a suite share it with the console that is
   * loaded: what is opened is gone to as by a link, with nothing on the screen or remembered of what was read before.
   */
  as(role: OperatorRole, setup?: Setup): Promise<Visitor>;
  /** A new browser with the session of the operator of this role. */
  newAs(role: OperatorRole, setup?: Setup): Promise<Visitor>;
  /** The operator whose session {@link as} uses. */
  operator(role: OperatorRole): Promise<SignedInOperator>;
  /** Ends a test: expects that no browser complained. @param hasFailed then no other goes on with what is loaded */
  leave(hasFailed: boolean): Promise<void>;
  stop(): Promise<void>;
}

const ADMIN_KEY = 'the key behind the glass';

/** Browsers with a console that is loaded: as many as a test looks at side by side. */
const MOST_KEPT = 2;

/** Options of a suite's console. */
export interface ConsoleOptions {
  readonly settings?: () => Settings | Promise<Settings>;
  /** Of Chromium. */
  readonly switches?: readonly string[];
  /** Prepares data before the first test. */
  readonly prepare?: (world: ConsoleWorld) => Promise<void>;
}

/**
 * The hooks of a suite that all tests of share one console; without Chromium it is skipped.
 *
 * ```ts
 * const world = useConsole();
 * it('…', async () => { const { page, open } = await world().as('AUDITOR', { language: 'en' }); await open('/audit'); … });
 * ```
 */
export function useConsole(options: ConsoleOptions = {}): () => ConsoleWorld {
  let opened: ConsoleWorld | null = null;
  before(async function () {
    this.timeout(180_000);
    opened = await openConsoleWorld(await options.settings?.(), options.switches);
    if (opened === null) return this.skip();
    await options.prepare?.(opened);
  });
  afterEach(function () {
    return opened?.leave(this.currentTest?.isFailed() === true);
  });
  after(() => opened?.stop());
  return () => {
    if (opened === null) throw new Error('The console is open while tests run.');
    return opened;
  };
}

/**
 * @param switches of Chromium
 * @returns null without Chromium
 */
async function openConsoleWorld(
  settings: Settings = {},
  switches: readonly string[] = [],
): Promise<ConsoleWorld | null> {
  const demo = await givenPages(
    {
      settings: {
        SVC_ROLES: 'api,projector,worker,console',
        SVC_CONSOLE_PORT: String(await steadyPort('console')),
        SVC_ADMIN_API_KEY: ADMIN_KEY,
        ...settings,
      },
    },
    switches,
  );
  if (demo === null) return null;
  const { browser, operators, service } = demo;
  const origin = demo.service.consoleOrigin ?? '';
  const signedIn = new Map<OperatorRole, Promise<SignedInOperator>>();
  const visitors: Visitor[] = [];
  /** Browsers with a console that is loaded, by role and language; the one used longest ago first. */
  const known = new Map<string, Visitor>();
  /** Those of the test that runs. */
  const inUse = new Set<Visitor>();

  /** Adds the operator on the machine itself, where nobody has to approve. */
  async function signIn(role: OperatorRole): Promise<SignedInOperator> {
    const wanted = { email: emailOf(role), password: `the first of ${role}`, role };
    const { operatorId: id } = await service.operators.add({
      ...wanted,
      mustChangePassword: false,
    });
    return operators.signIn({ ...wanted, id, secret: null });
  }

  const operator = (role: OperatorRole) => {
    const known = signedIn.get(role) ?? signIn(role);
    signedIn.set(role, known);
    return known;
  };

  async function visit(setup?: Setup): Promise<Visitor> {
    const visitor = await visitorOf(browser, origin, setup);
    visitors.push(visitor);
    return visitor;
  }

  async function browserOf(role: OperatorRole, setup?: Setup): Promise<Visitor> {
    const { token } = await operator(role);
    const visitor = await visitorOf(browser, origin, setup);
    await visitor.context.addCookies([
      { name: 'admin_session', value: token, url: origin, httpOnly: true, sameSite: 'Strict' },
    ]);
    return visitor;
  }

  /** Another browser that is kept, for which one may be given back that nobody of the test uses. */
  async function another(role: OperatorRole, setup: Setup): Promise<Visitor> {
    const unused = [...known].find(([, visitor]) => !inUse.has(visitor));
    if (known.size >= MOST_KEPT && unused !== undefined) {
      const [key, visitor] = unused;
      known.delete(key);
      await visitor.leave();
    }
    const visitor = await browserOf(role, setup);
    let isLoaded = false;
    const open = async (path: string) => {
      await (isLoaded ? openWithin(visitor, path) : visitor.open(path));
      isLoaded = true;
    };
    return { ...visitor, open };
  }

  /** Gives the browsers of a test back; others go on with a console unless the test failed or made it remember something. */
  async function leave(hasFailed: boolean): Promise<void> {
    const kept = [...known];
    const others = visitors.splice(0);
    if (hasFailed) for (const { page } of [...others, ...inUse]) await tellShown(page);
    for (const visitor of others) await visitor.leave();
    for (const [key, visitor] of kept) {
      if (hasFailed || (inUse.has(visitor) && (await remembers(visitor)))) {
        known.delete(key);
        await visitor.leave();
      } else await endTest(visitor.page);
    }
    inUse.clear();
    const left = [...others, ...kept.map(([, visitor]) => visitor)];
    expect(left.flatMap(({ faults }) => faults.splice(0))).to.deep.equal([]);
  }

  return {
    demo,
    operators,
    origin,
    visit,
    operator,
    newAs: async (role, setup) => {
      const visitor = await browserOf(role, setup);
      visitors.push(visitor);
      return visitor;
    },
    as: async (role, setup = {}) => {
      const { language = 'mn' } = setup;
      const key = `${role} ${language}`;
      const visitor = known.get(key) ?? (await another(role, setup));
      known.delete(key);
      known.set(key, visitor);
      inUse.add(visitor);
      await visitor.setUp(setup);
      return visitor;
    },
    leave,
    stop: async () => {
      for (const visitor of known.values()) await visitor.leave();
      await demo.stop();
    },
  };
}

/** Leaves what a page shows to the reporter: readers of a failed test see no page. */
async function tellShown(page: Page): Promise<void> {
  const shown = await page.locator('body').ariaSnapshot({ timeout: 2000 }).catch(String);
  await mkdir(dirname(SHOWN_PAGES), { recursive: true });
  await appendFile(SHOWN_PAGES, `${page.url()} shows:\n${shown}\n`);
}

const emailOf = (role: OperatorRole) => `${role.toLowerCase().replace('_', '.')}@tamga.example`;

/** Tells whether the console stored something, such as a language chosen or a state of the audit that was verified. */
function remembers({ page }: Visitor): Promise<boolean> {
  return page.evaluate<boolean>('localStorage.length > 0');
}

/** A page every role may open. */
const EVERYBODYS = '/account';

/**
 * Runs in the page: closes the notes over it, has what is shown read anew, and forgets what was read for other pages.
 * The cache of answers is found where React keeps it, as the console gives it to nobody.
 */
const afresh = `(() => {
  for (const close of document.querySelectorAll('.mantine-Notifications-root button')) close.click();
  const root = document.getElementById('root');
  const key = Object.keys(root).find((name) => name.startsWith('__reactContainer$'));
  const cacheIn = (fiber) => {
    const { client } = fiber?.memoizedProps ?? {};
    return fiber && (client?.getQueryCache ? client : (cacheIn(fiber.child) ?? cacheIn(fiber.sibling)));
  };
  const cache = cacheIn(root[key].stateNode.current);
  cache.removeQueries({ type: 'inactive' });
  return cache.invalidateQueries();
})()`;

/** Opens a page of the console that is loaded, which takes a fifth of loading it anew. */
async function openWithin({ page }: Visitor, path: string): Promise<void> {
  const area = (address: string) => new URL(address, page.url()).pathname.split('/')[1];
  // Pages of an area can share what they show, and what was typed into it.
  if (area(path) === area(page.url())) await follow(page, EVERYBODYS);
  await page.evaluate(afresh);
  await follow(page, path);
}

/** Goes to another page as a link does, within the application that is loaded, and waits for its heading. */
export async function follow(page: Page, path: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1 });
  const former = await heading.elementHandle();
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await former.waitForElementState('hidden');
  await heading.waitFor();
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/**
 * Expects no violation of WCAG 2.2 AA nor of what axe calls best practice, of any weight, on the page at rest.
 *
 * @param rules of axe, where not all are asked
 */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  // Rows that are read again are dimmed, and have not the contrast they are made for.
  await settled(page);
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) {
    // Through the debugger: the page's own policy refuses script elements and `eval`.
    const debugging = await page.context().newCDPSession(page);
    await debugging.send('Runtime.evaluate', { expression: axe });
    await debugging.detach();
  }
  const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const runOnly = rules === undefined ? { type: 'tag', values } : { type: 'rule', values: rules };
  const options = { runOnly, resultTypes: ['violations'] };
  const results = await page.evaluate((given) => {
    const { axe: runner } = globalThis as unknown as {
      axe: { run(options: object): Promise<AxeResults> };
    };
    return runner.run(given);
  }, options);
  expect(
    results.violations.map(
      ({ id, impact, nodes }) =>
        `${id} (${impact ?? 'unweighed'}): ${nodes.map(({ failureSummary, html }) => `${html}\n${failureSummary}`).join('\n')}`,
    ),
    page.url(),
  ).to.deep.equal([]);
}
