import { useEffect, useState } from 'react';
import { useTexts } from '../../shared/texts.ts';
import { texts } from './texts.ts';

/** Countdown of the time left. @param until ISO 8601 */
export function TimeLeft({ until }: { readonly until: string }) {
  const t = useTexts(texts);
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.floor((Date.parse(until) - now) / 1000);
  if (seconds <= 0) return <>{t('expired')}</>;
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const parts = { days: Math.floor(hours / 24), hours: hours % 24, minutes: minutes % 60 };
  const key = hours >= 24 ? 'leftDays' : hours > 0 ? 'leftHours' : 'leftMinutes';
  const values = key === 'leftHours' ? { ...parts, hours } : { ...parts, seconds: seconds % 60 };
  return (
    <time dateTime={until} role="timer">
      {t(key, values)}
    </time>
  );
}
