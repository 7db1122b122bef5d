const timeZone = 'Asia/Ulaanbaatar';
const localDay = new Intl.DateTimeFormat('sv-SE', { timeZone });
const localMinute = new Intl.DateTimeFormat('sv-SE', {
  timeZone,
  dateStyle: 'short',
  timeStyle: 'short',
});

/** Date `YYYY-MM-DD` in Mongolia's time zone. */
export function dayOf(instant: string): string {
  return localDay.format(new Date(instant));
}

/** Date and time, to the minute, in Mongolia's time zone. */
export function minuteOf(instant: string): string {
  return localMinute.format(new Date(instant));
}

/** Minute from which something may be tried again, rounded up; null: nobody said when. */
export function againFrom(now: Date, seconds: number | undefined): string | null {
  return seconds === undefined
    ? null
    : localMinute.format(new Date(Math.ceil((now.getTime() + seconds * 1000) / 60_000) * 60_000));
}
