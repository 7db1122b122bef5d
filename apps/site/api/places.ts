/** Name of a field behind the names of what it is in, from outside to inside: `Session.result.endResult`. */
export const within = (place: string, name: string) => (place === '' ? name : `${place}.${name}`);

/** Entry of a table for a field: that of the longest end of its place. */
export function behind<Value>(
  table: Readonly<Record<string, Value>>,
  place: string,
): Value | undefined {
  const names = place.split('.');
  const known = names
    .map((_name, at) => names.slice(at).join('.'))
    .find((name) => Object.hasOwn(table, name));
  return known === undefined ? undefined : table[known];
}
