import { useSyncExternalStore } from 'react';
import { sharedTexts } from './sharedTexts.ts';
import { useTexts } from './texts.ts';

const TICK_MS = 30_000;
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];
/** Age from which the time itself says more, ms. */
const OLD_MS = 7 * DAY_MS;

let now = Date.now();
let ticking: ReturnType<typeof setInterval> | undefined;
const watching = new Set<() => void>();

function tick(): void {
  now = Date.now();
  for (const tell of watching) tell();
}

/** One clock for all times of a page; it runs while any is shown. */
function watch(tell: () => void): () => void {
  watching.add(tell);
  if (ticking === undefined) {
    ticking = setInterval(tick, TICK_MS);
    now = Date.now();
  }
  return () => {
    watching.delete(tell);
    if (watching.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

/** The present, ms, to half a minute. Is drawn anew as time passes. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => now);
}

/** Says how long ago a moment was; null: not within the last week. Is drawn anew as time passes. */
export function useAgo(): (moment: string) => string | null {
  const t = useTexts(sharedTexts);
  const present = useNow();
  return (moment) => {
    const age = present - Date.parse(moment);
    // A moment since the last tick lies ahead of it; one further ahead is an end or a plan.
    if (Number.isNaN(age) || age < -2 * TICK_MS || age >= OLD_MS) return null;
    if (age < MINUTE_MS) return t('justNow');
    if (age < HOUR_MS) return t('minutesAgo', { n: Math.floor(age / MINUTE_MS) });
    if (age < DAY_MS) return t('hoursAgo', { n: Math.floor(age / HOUR_MS) });
    return t('daysAgo', { n: Math.floor(age / DAY_MS) });
  };
}
