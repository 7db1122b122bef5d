/** An endpoint the service says is deprecated (RFC 9745): it works as before until the next major version. */
export interface DeprecationNotice {
  /** `GET`, `POST`, `PUT` or `DELETE`. */
  readonly method: string;
  /** Below `baseUrl`, its parameters in braces. */
  readonly route: string;
  /** Since when; it may be in the future. Null when the service names no time this library can read. */
  readonly deprecatedAt: Date | null;
  /** From when on it may be gone (RFC 8594); null: not known yet. */
  readonly sunsetAt: Date | null;
  /** Address of what takes its place (RFC 5829); null: nothing is named. */
  readonly successor: string | null;
  /** Address of what the service writes about it; null: nothing is named. */
  readonly description: string | null;
}

type Endpoint = Pick<DeprecationNotice, 'method' | 'route'>;

/** Reads the headers of answers; whoever wants to know is told once of each endpoint. */
export interface DeprecationNotices {
  /** @param headers none when a `fetchImpl` brings none */
  read(endpoint: Endpoint, headers: Pick<Headers, 'get'> | undefined): void;
}

/** @param root what addresses in headers are relative to */
export function createDeprecationNotices(
  root: string,
  tell: ((notice: DeprecationNotice) => void) | undefined,
): DeprecationNotices {
  const told = new Set<string>();
  return {
    read({ method, route }, headers) {
      const deprecation = headers?.get('deprecation') ?? null;
      const endpoint = `${method} ${route}`;
      if (tell === undefined || deprecation === null || told.has(endpoint)) return;
      told.add(endpoint);
      const link = headers?.get('link') ?? '';
      try {
        tell({
          ...{ method, route },
          deprecatedAt: structuredDate(deprecation),
          sunsetAt: httpDate(headers?.get('sunset') ?? ''),
          successor: linked(link, 'successor-version', root),
          description: linked(link, 'deprecation', root),
        });
      } catch {
        // Whoever watches must not take the answer away from whoever asked.
      }
    },
  };
}

/** RFC 9651 §3.3.7: `@` and seconds since 1970. */
function structuredDate(header: string): Date | null {
  const [, seconds] = /^@(-?\d{1,12})\s*(?:;|$)/.exec(header.trim()) ?? [];
  return seconds === undefined ? null : new Date(Number(seconds) * 1000);
}

/** RFC 9110 §5.6.7. */
function httpDate(header: string): Date | null {
  const date = new Date(header);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** The target with this relation (RFC 8288), an http(s) address. */
function linked(header: string, relation: string, root: string): string | null {
  for (const [, target = '', parameters = ''] of header.matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, token] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/i.exec(parameters) ?? [];
    const relations = (quoted ?? token ?? '').toLowerCase().split(/\s+/);
    if (!relations.includes(relation) || !URL.canParse(target, root)) continue;
    const address = new URL(target, root);
    if (/^https?:$/.test(address.protocol)) return address.href;
  }
  return null;
}
