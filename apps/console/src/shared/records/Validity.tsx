import { useState } from 'react';
import { useTexts } from '../texts.ts';
import { Timestamp, useFormats } from '../ui/parts.tsx';
import classes from './records.module.css';
import type { CertificateRow } from './statuses.tsx';
import { recordTexts } from './words.ts';

const DAY_MS = 86_400_000;

/** Elapsed share of the validity from which the bar warns. */
const LATE = 0.85;

/** Elapsed share of a certificate's validity. @param at time shown, ISO 8601; undefined: now */
export function Validity({
  certificate: { notBefore, notAfter, status },
  at,
}: {
  readonly certificate: Pick<CertificateRow, 'notBefore' | 'notAfter' | 'status'>;
  readonly at?: string | undefined;
}) {
  const t = useTexts(recordTexts);
  const { percent } = useFormats();
  const [opened] = useState(() => Date.now());
  const now = at === undefined ? opened : Date.parse(at);
  const [from, to] = [Date.parse(notBefore), Date.parse(notAfter)];
  const share = Math.min(1, Math.max(0, (now - from) / (to - from)));
  const isEnded = status === 'REVOKED' || now >= to;
  const left = isEnded
    ? t('ended')
    : now < from
      ? t('notStarted')
      : t('daysLeft', { days: Math.floor((to - now) / DAY_MS) });
  return (
    <div
      className={classes.validity}
      data-tone={isEnded ? 'bad' : share > LATE || status === 'SUSPENDED' ? 'waiting' : 'good'}
    >
      <progress max={1} value={share} aria-label={t('validityPassed', { share: percent(share) })} />
      <div className={classes.ends}>
        <Timestamp value={notBefore} isExact />
        <strong>{left}</strong>
        <Timestamp value={notAfter} isExact />
      </div>
    </div>
  );
}
