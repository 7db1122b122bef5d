/**
 * Settings of every session. They are sent with the connection, which counts for more than what `alter role`, `alter
 * database`, `postgresql.conf` and `PGOPTIONS` say: none of these changes what a value looks like, how a text is read, or
 * which rows a query finds. What a session may not set itself is checked: serverState.ts.
 */
const settings = {
  // Form of values in answers, and meaning of those in statements.
  timezone: 'UTC',
  datestyle: 'ISO,YMD',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  backslash_quote: 'safe_encoding',
  array_nulls: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  lc_numeric: 'C',
  lc_time: 'C',
  lc_monetary: 'C',
  // A filtered answer would look like a whole one.
  row_security: 'off',
  gin_fuzzy_search_limit: '0',
  // Time limits are the program's, one for each kind of work.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  jit: 'off',
} as const;

/** Names of the settings above, for the check that the server took them. */
export const sessionSettings: Readonly<Record<string, string>> = settings;

/**
 * Connection parameters for `pg`: the address, and the settings of the session.
 *
 * @param url may have an `options` parameter, which counts where it says something else
 * @param further settings of this connection
 */
export function sessionAt(
  url: string,
  further: Readonly<Record<string, string | number>> = {},
): { readonly connectionString: string; readonly options: string } {
  const { connectionString, options } = withoutOptions(url);
  const all = Object.entries({ ...settings, ...further }).map(
    ([name, value]) => `-c ${name}=${value}`,
  );
  return { connectionString, options: [...all, ...options].join(' ') };
}

/** Takes the options out of an address: `pg` would use them instead of ours. */
function withoutOptions(url: string) {
  if (!URL.canParse(url)) return { connectionString: url, options: [] };
  const address = new URL(url);
  const options = address.searchParams.getAll('options');
  if (options.length === 0) return { connectionString: url, options };
  address.searchParams.delete('options');
  return { connectionString: address.href, options };
}
