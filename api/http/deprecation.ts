/**
 * Deprecation of a route, which works unchanged until the next major version (specification,
 * Versioning 5).
 */
export interface Deprecation {
  /** Start, `YYYY-MM-DD`. */
  readonly since: string;
  /** Earliest day of removal, `YYYY-MM-DD`; null: not known yet. */
  readonly sunset: string | null;
  /** Path of the replacement; null: none. */
  readonly successor: string | null;
  /** Headers of every response: alternating names and values. */
  readonly headers: readonly string[];
}

/** Document that describes every deprecation: start, end, replacement. */
const DESCRIPTION = '/openapi.json';

/**
 * Deprecation of a route, for its `deprecated`. Days begin at midnight UTC.
 *
 * Responses carry `Deprecation` (RFC 9745) and a link to its description; with a successor the
 * relation `successor-version` (RFC 5829), with an end `Sunset` (RFC 8594).
 *
 * @throws RangeError for an invalid day, or an end before the beginning (RFC 9745 §4)
 */
export function deprecated({
  since,
  sunset = null,
  successor = null,
}: {
  readonly since: string;
  readonly sunset?: string | null;
  readonly successor?: string | null;
}): Deprecation {
  const from = midnight(since);
  const until = sunset === null ? null : midnight(sunset);
  if (until !== null && until < from) {
    throw new RangeError(
      `It may not be gone (${sunset ?? ''}) before it is deprecated (${since}).`,
    );
  }
  const links = [
    `<${DESCRIPTION}>; rel="deprecation"; type="application/json"`,
    ...(successor === null ? [] : [`<${successor}>; rel="successor-version"`]),
    ...(until === null ? [] : [`<${DESCRIPTION}>; rel="sunset"; type="application/json"`]),
  ];
  const headers = [
    ...['deprecation', `@${from.getTime() / 1000}`],
    ...(until === null ? [] : ['sunset', until.toUTCString()]),
    ...['link', links.join(', ')],
  ];
  return { since, sunset, successor, headers };
}

function midnight(day: string): Date {
  const date = new Date(`${day}T00:00:00Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(date.getTime())) {
    throw new RangeError(`Not a day: ${day}`);
  }
  return date;
}
