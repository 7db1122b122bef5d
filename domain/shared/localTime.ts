/** Formats times of Mongolia; the Swedish locale writes them like ISO 8601. */
export const localTime = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Asia/Ulaanbaatar',
  dateStyle: 'short',
  timeStyle: 'medium',
});
