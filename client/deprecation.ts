/**
 * Notice of an endpoint the service says is deprecated (RFC 9745): it works until the next major
 * version.
 */
export interface DeprecationNotice {
  /** `GET`, `POST`, `PUT` or `DELETE`. */
  readonly method: string;
  /** Path below `baseUrl`, parameters in braces. */
  readonly route: string;
  /** Start of the deprecation; may be in the future. Null when the header's time cannot be read. */
  readonly deprecatedAt: Date | null;
  /** Earliest removal (RFC 8594); null: not known yet. */
  readonly sunsetAt: Date | null;
  /** Address of the replacement (RFC 5829); null: none named. */
  readonly successor: string | null;
  /** Address of the service's documentation of the deprecation; null: none named. */
  readonly description: string | null;
}

type Endpoint = Pick<DeprecationNotice, 'method' | 'route'>;

/** Reads deprecation headers of answers; calls back once per endpoint. */
export interface DeprecationNotices {
  /** @param headers none when a `fetchImpl` brings none */
  read(endpoint: Endpoint, headers: Pick<Headers, 'get'> | undefined): void;
}

/** @param root base of relative addresses in headers */
export function createDeprecationNotices(
  root: string,
  notify: ((notice: DeprecationNotice) => void) | undefined,
): DeprecationNotices {
  const notified = new Set<string>();
  return {
    read({ method, route }, headers) {
      const deprecation = headers?.get('deprecation') ?? null;
      const endpoint = `${method} ${route}`;
      if (notify === undefined || deprecation === null || notified.has(endpoint)) return;
      notified.add(endpoint);
      const link = headers?.get('link') ?? '';
      try {
        notify({
          method,
          route,
          deprecatedAt: structuredDate(deprecation),
          sunsetAt: httpDate(headers?.get('sunset') ?? ''),
          successor: linked(link, 'successor-version', root),
          description: linked(link, 'deprecation', root),
        });
      } catch {
        // An error of the callback must not fail the call.
      }
    },
  };
}

/** Date of a structured field: `@` and seconds since 1970 (RFC 9651 §3.3.7). */
function structuredDate(header: string): Date | null {
  const [, seconds] = /^@(-?\d{1,12})\s*(?:;|$)/.exec(header.trim()) ?? [];
  return seconds === undefined ? null : new Date(Number(seconds) * 1000);
}

/** Date of HTTP (RFC 9110 §5.6.7). */
function httpDate(header: string): Date | null {
  const date = new Date(header);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Target of the link with this relation (RFC 8288), an http(s) address. */
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
