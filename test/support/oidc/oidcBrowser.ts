/** A browser as far as logging in needs one: it keeps cookies, follows redirects, fills in forms. */
export interface OidcBrowser {
  /** Opens an address and follows redirects until something is shown, or an address begins with `until`. */
  open(url: string, until?: string): Promise<Shown>;
  /** Sends a form, and follows. */
  submit(
    url: string,
    fields: Readonly<Record<string, string | readonly string[]>>,
    until?: string,
  ): Promise<Shown>;
  /** Header with the cookies for an address. */
  cookiesAt(url: URL): string;
  /** Names of the cookies it has. */
  cookieNames(): readonly string[];
}

export interface Shown {
  readonly url: string;
  /** 0: it went to `until`, which was not opened. */
  readonly status: number;
  readonly text: string;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

const MOST_REDIRECTS = 20;

export function createOidcBrowser(): OidcBrowser {
  let jar: readonly Cookie[] = [];

  function keep(header: string): void {
    const [pair = '', ...attributes] = header.split(';').map((part) => part.trim());
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals);
    const attribute = (wanted: string) =>
      attributes
        .find((each) => each.toLowerCase().startsWith(`${wanted}=`))
        ?.slice(wanted.length + 1);
    const path = attribute('path') ?? '/';
    jar = jar.filter((cookie) => cookie.name !== name || cookie.path !== path);
    const isOver = attribute('max-age') === '0';
    if (!isOver) jar = [...jar, { name, value: pair.slice(equals + 1), path }];
  }

  function cookiesFor({ pathname }: URL): string {
    return jar
      .filter(({ path }) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  async function go(url: string, init: RequestInit, until?: string): Promise<Shown> {
    let next = url;
    let how = init;
    for (let hop = 0; hop < MOST_REDIRECTS; hop += 1) {
      if (until !== undefined && next.startsWith(until)) return { url: next, status: 0, text: '' };
      const at = new URL(next);
      const response = await fetch(at, {
        ...how,
        redirect: 'manual',
        headers: { accept: 'text/html', cookie: cookiesFor(at) },
      });
      for (const header of response.headers.getSetCookie()) keep(header);
      // Pages go on by themselves where a redirection would be part of a form.
      const refresh = /^0; url=(.*)$/.exec(response.headers.get('refresh') ?? '')?.[1];
      const location = response.headers.get('location') ?? refresh ?? null;
      if (location === null) {
        return { url: next, status: response.status, text: await response.text() };
      }
      await response.arrayBuffer();
      next = new URL(location, at).href;
      how = {};
    }
    throw new Error(`More than ${MOST_REDIRECTS} redirects, the last to ${next}.`);
  }

  return {
    open: (url, until) => go(url, {}, until),
    submit: (url, fields, until) => {
      const body = new URLSearchParams();
      for (const [name, value] of Object.entries(fields)) {
        for (const each of [value].flat()) body.append(name, each);
      }
      return go(url, { method: 'POST', body }, until);
    },
    cookiesAt: cookiesFor,
    cookieNames: () => jar.map(({ name }) => name),
  };
}
