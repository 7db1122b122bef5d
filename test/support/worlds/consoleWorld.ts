import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { OperatorRole } from '../../../domain/operator/capabilities.ts';
import { launchChromium, leaveChromium } from '../browser/chromium.ts';
import { type DemoInstallation, startDemoInstallation } from '../installation/demoInstallation.ts';
import { openOperatorWorld, type OperatorWorld, type SignedInOperator } from './operatorWorld.ts';
import type { Settings } from '../installation/serviceProcess.ts';
import { settled } from '../browser/settledPage.ts';

/** Default settings of a browser: Mongolian, light theme, desktop window. */
export interface Setup {
  readonly language?: 'mn' | 'en';
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
}

/** Somebody at a browser of their own: cookies and storage are shared with nobody. */
export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the browser and its requests to other origins. Tests end with none. */
  readonly faults: readonly string[];
  /** Opens a page and waits for its heading. */
  open(path: string): Promise<void>;
}

/** The whole program with the console's role, one Chromium, operators who sign in for real. */
export interface ConsoleWorld {
  readonly demo: DemoInstallation;
  readonly operators: OperatorWorld;
  /** Origin of the console. */
  readonly origin: string;
  /** A browser nobody signed in with. */
  visit(setup?: Setup): Promise<Visitor>;
  /** A browser with the session of an operator of this role; each role has one operator. */
  as(role: OperatorRole, setup?: Setup): Promise<Visitor>;
  /** The operator whose session {@link as} uses. */
  operator(role: OperatorRole): Promise<SignedInOperator>;
  /** Closes the browsers of a test and expects that none complained. */
  leave(): Promise<void>;
  stop(): Promise<void>;
}

const ADMIN_KEY = 'the key behind the glass';

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
  afterEach(() => opened?.leave());
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
export async function openConsoleWorld(
  settings: Settings = {},
  switches: readonly string[] = [],
): Promise<ConsoleWorld | null> {
  const chromium = await launchChromium(switches);
  return chromium === null ? null : worldOf(chromium, settings);
}

async function worldOf(browser: Browser, settings: Settings): Promise<ConsoleWorld> {
  const demo = await startDemoInstallation({
    SVC_ROLES: 'api,projector,worker,console',
    SVC_CONSOLE_PORT: '0',
    SVC_ADMIN_API_KEY: ADMIN_KEY,
    ...settings,
  });
  const origin = demo.service.consoleOrigin ?? '';
  const operators = openOperatorWorld(demo.service.origin, ADMIN_KEY, demo.service.operators);
  const signedIn = new Map<OperatorRole, Promise<SignedInOperator>>();
  const visitors: Visitor[] = [];

  /** Adds the operator on the machine itself, where nobody has to approve. */
  async function signIn(role: OperatorRole): Promise<SignedInOperator> {
    const wanted = { email: emailOf(role), password: `the first of ${role}`, role };
    const { operatorId: id } = await demo.service.operators.add({
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

  async function visit(setup: Setup = {}): Promise<Visitor> {
    const visitor = await visitorOf(browser, origin, setup);
    visitors.push(visitor);
    return visitor;
  }

  return {
    demo,
    operators,
    origin,
    visit,
    operator,
    as: async (role, setup) => {
      const { token } = await operator(role);
      const visitor = await visit(setup);
      await visitor.context.addCookies([
        { name: 'admin_session', value: token, url: origin, httpOnly: true, sameSite: 'Strict' },
      ]);
      return visitor;
    },
    leave: async () => {
      const left = visitors.splice(0);
      for (const { context } of left) await context.close();
      expect(left.flatMap(({ faults }) => faults)).to.deep.equal([]);
    },
    stop: async () => {
      await leaveChromium(browser);
      await demo.stop();
    },
  };
}

const emailOf = (role: OperatorRole) => `${role.toLowerCase().replace('_', '.')}@tamga.example`;

/** A browser of its own at `origin`, whose faults are noted. */
export async function visitorOf(
  browser: Browser,
  origin: string,
  { language = 'mn', theme = 'light', width = 1280 }: Setup,
): Promise<Visitor> {
  const context = await browser.newContext({
    locale: language === 'mn' ? 'mn-MN' : 'en-GB',
    colorScheme: theme,
    viewport: { width, height: width < 600 ? 780 : 900 },
    timezoneId: 'Asia/Ulaanbaatar',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(30_000);
  const faults: string[] = [];
  context.on('console', (message) => {
    // Chromium reports every refused call so; what the page makes of it is what tests look at.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) faults.push(message.text());
  });
  context.on('weberror', (error) => faults.push(error.error().message));
  context.on('request', (request) => {
    const address = request.url();
    const isOwn = address.startsWith(`${origin}/`) || /^(blob|data):/.test(address);
    if (!isOwn) faults.push(`asked for ${address}`);
  });
  const page = await context.newPage();
  return {
    page,
    context,
    faults,
    open: async (path) => {
      await page.goto(`${origin}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
  };
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

/** Expects no serious or critical violation of WCAG 2.2 AA on the page, once it is at rest. */
export async function expectAccessible(page: Page): Promise<void> {
  // Rows that are read again are dimmed, and have not the contrast they are made for.
  await settled(page);
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) {
    // Through the debugger: the page's own policy refuses script elements and `eval`.
    const debugging = await page.context().newCDPSession(page);
    await debugging.send('Runtime.evaluate', { expression: axe });
    await debugging.detach();
  }
  const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
  const options = { runOnly: { type: 'tag', values }, resultTypes: ['violations'] };
  const results = await page.evaluate((given) => {
    const { axe: runner } = globalThis as unknown as {
      axe: { run(options: object): Promise<AxeResults> };
    };
    return runner.run(given);
  }, options);
  const serious = results.violations.filter(({ impact }) =>
    ['serious', 'critical'].includes(impact ?? ''),
  );
  expect(
    serious.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ failureSummary, html }) => `${html}\n${failureSummary}`).join('\n')}`,
    ),
    page.url(),
  ).to.deep.equal([]);
}
