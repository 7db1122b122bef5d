/** Fields that differ, by value: an edit does not overwrite a colleague's concurrent change. */
export function changedFields<Settings extends object>(
  before: Settings,
  after: Settings,
): Partial<Settings> {
  const former = before as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(former[name]),
    ),
  ) as Partial<Settings>;
}
