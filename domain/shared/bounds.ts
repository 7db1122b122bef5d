/** Sentence on a value beyond a bound: tells both, as a caller can mend nothing from the bound alone. @param unit for example `characters` */
export function beyondBound(
  bound: { readonly atMost: number } | { readonly atLeast: number },
  value: number,
  unit?: string,
): string {
  const limit = 'atMost' in bound ? `At most ${bound.atMost}` : `At least ${bound.atLeast}`;
  return unit === undefined
    ? `${limit}; this is ${value}.`
    : `${limit} ${unit}; this has ${value}.`;
}
