import type {
  Browser,
  BrowserContext,
  CDPSession,
  ConsoleMessage,
  Page,
  Request,
  WebError,
} from 'playwright-core';

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
  readonly faults: string[];
  /** Changes what the browser was set up with; a page asks for its language when it is loaded. */
  setUp(setup: Setup): Promise<void>;
  /** Opens a page and waits for its heading. */
  open(path: string): Promise<void>;
  /** Gives the browser back, without anything that was kept in it. */
  leave(): Promise<void>;
}

/** A browser with one tab, without cookies and storage. */
interface Empty {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Of the tab; what it changes holds as long as it is open. */
  readonly debugging: CDPSession;
}

/**
 * Browsers that were given back, of each Chromium. A new one costs three times as much processor time as the page it
 * shows: its process starts, and compiles everything itself.
 */
const empty = new WeakMap<Browser, Empty[]>();
/** Some hundred MB each; as many as a test looks at side by side. */
const MOST_EMPTY = 3;

/** Contexts of a Chromium that nobody uses, and the next will. */
export function contextsGivenBack(browser: Browser): readonly BrowserContext[] {
  return (empty.get(browser) ?? []).map(({ context }) => context);
}

/** A browser of its own at `origin`, whose faults are noted. */
export async function visitorOf(
  browser: Browser,
  origin: string,
  setup: Setup = {},
): Promise<Visitor> {
  const others = empty.get(browser) ?? [];
  empty.set(browser, others);
  const taken = others.pop() ?? (await another(browser));
  const { context, page } = taken;
  await setUp(taken, setup);
  const faults: string[] = [];
  const stopWatching = watch(context, origin, faults);
  return {
    page,
    context,
    faults,
    setUp: (next) => setUp(taken, next),
    open: async (path) => {
      await page.goto(`${origin}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
    leave: async () => {
      stopWatching();
      if (page.isClosed() || others.length >= MOST_EMPTY) return context.close();
      await clear(taken, origin);
      others.push(taken);
    },
  };
}

async function another(browser: Browser): Promise<Empty> {
  const context = await browser.newContext({
    timezoneId: 'Asia/Ulaanbaatar',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  return { context, page, debugging: await context.newCDPSession(page) };
}

async function setUp({ context, page, debugging }: Empty, setup: Setup): Promise<void> {
  const { language = 'mn', theme = 'light', width = 1280 } = setup;
  const locale = language === 'mn' ? 'mn-MN' : 'en-GB';
  // Chromium's own setting of a context is for good.
  await context.setExtraHTTPHeaders({ 'accept-language': locale });
  const { userAgent } = await debugging.send('Browser.getVersion');
  await debugging.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: locale });
  await debugging.send('Emulation.setLocaleOverride', { locale });
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize({ width, height: width < 600 ? 780 : 900 });
}

/** Notes complaints of the browser and requests to others. @returns ends it */
function watch(context: BrowserContext, origin: string, faults: string[]): () => void {
  const onMessage = (message: ConsoleMessage) => {
    // Chromium reports every refused call so; what the page makes of it is what tests look at.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) faults.push(message.text());
  };
  const onError = (error: WebError) => faults.push(error.error().message);
  const onRequest = (request: Request) => {
    const address = request.url();
    const isOwn = address.startsWith(`${origin}/`) || /^(blob|data):/.test(address);
    if (!isOwn) faults.push(`asked for ${address}`);
  };
  context.on('console', onMessage).on('weberror', onError).on('request', onRequest);
  return () => {
    context.off('console', onMessage).off('weberror', onError).off('request', onRequest);
  };
}

/** Takes back what a test did to a tab and its browser beside the pages. */
export async function endTest(page: Page): Promise<void> {
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  page.removeAllListeners('request').removeAllListeners('response');
}

/** Leaves a browser as it was when it was new, but for files it may keep and what it compiled of them. */
async function clear({ context, page, debugging }: Empty, origin: string): Promise<void> {
  await endTest(page);
  // Another site, or none, would end the process, and with it what was compiled.
  await page.goto(`${origin}/favicon.ico`);
  await debugging.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await context.clearCookies();
  await context.clearPermissions();
}
