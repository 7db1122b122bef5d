import { useTexts } from '../texts.ts';
import { Timestamp } from '../ui/parts.tsx';
import classes from './records.module.css';
import { ActorName } from './subjects.tsx';
import { eventWords, recordTexts, useWords } from './words.ts';

/** An event of a timeline, as in the API. */
export interface Happening {
  readonly type: string;
  readonly time: string;
  readonly actor: { readonly kind: string; readonly id: string };
}

const tones: Readonly<Record<string, 'good' | 'bad' | 'waiting'>> = {
  SessionConfirmed: 'good',
  CertificateChosen: 'good',
  DocumentStamped: 'good',
  SessionRefused: 'bad',
  SessionDisowned: 'bad',
  SessionFailed: 'bad',
  SessionExpired: 'waiting',
  SessionCancelled: 'waiting',
  CertificateIssued: 'good',
  CertificateReinstated: 'good',
  CertificateRevoked: 'bad',
  CertificateSuspended: 'waiting',
  IdentityVerificationAttemptFailed: 'bad',
  IdentityVerificationSucceeded: 'good',
  IdentityVerificationExhausted: 'bad',
  IdentityVerificationExpired: 'waiting',
};

/** Events of a record, the oldest first, with the time between. */
export function Timeline({
  label,
  events,
}: {
  readonly label: string;
  readonly events: readonly Happening[];
}) {
  const word = useWords(eventWords);
  return (
    <ol className={classes.line} aria-label={label}>
      {events.map(({ type, time, actor }, index) => (
        <li key={`${type}-${time}-${index}`} data-tone={tones[type] ?? 'neutral'}>
          <Since earlier={events[index - 1]?.time} time={time} />
          <strong>{word(type)}</strong>
          <span className={classes.about}>
            <Timestamp value={time} isExact /> · <ActorName actor={actor} />
          </span>
        </li>
      ))}
    </ol>
  );
}

function Since({ earlier, time }: { readonly earlier: string | undefined; readonly time: string }) {
  const t = useTexts(recordTexts);
  const span = useSpan();
  if (earlier === undefined) return null;
  return (
    <span className={classes.since}>
      {t('later', { time: span(Date.parse(time) - Date.parse(earlier)) })}
    </span>
  );
}

const units = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1000],
  ['ms', 1],
] as const;

/** Formats a duration in its largest unit. */
export function useSpan(): (ms: number) => string {
  const t = useTexts(recordTexts);
  return (ms) => {
    const [unit, size] = units.find(([, each]) => ms >= each) ?? (['ms', 1] as const);
    const n = ms / size;
    return t(unit, { n: n < 10 && unit !== 'ms' ? Math.round(n * 10) / 10 : Math.round(n) });
  };
}
