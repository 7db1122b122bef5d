import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Capability, may, useAccount } from '../account.ts';
import { useWindowTitle } from '../product.ts';
import { sharedTexts } from '../sharedTexts.ts';
import { useLanguage, useTexts } from '../texts.ts';
import { useAgo } from '../useAgo.ts';
import { Copy } from './Copy.tsx';
import classes from './parts.module.css';

const locales = { mn: 'mn-MN', en: 'en-GB' } as const;
/** Numeric months: Mongolian month names contain numbers, which not every browser knows. */
const days = {
  mn: { year: 'numeric', month: '2-digit', day: '2-digit' },
  en: { year: 'numeric', month: 'short', day: 'numeric' },
} as const;
const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false } as const;

/** Formats of the current language. */
export function useFormats() {
  const language = useLanguage();
  const [locale, day] = [locales[language], days[language]];
  return {
    number: (value: number) => new Intl.NumberFormat(locale).format(value),
    /** Rounded from a million on: 1.28M. */
    short: (value: number) =>
      new Intl.NumberFormat(
        locale,
        value < 1e6 ? {} : { notation: 'compact', maximumFractionDigits: 2 },
      ).format(value),
    percent: (share: number) =>
      new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(share),
    time: (value: string | Date) =>
      new Intl.DateTimeFormat(locale, { ...day, ...clock }).format(new Date(value)),
    hour: (value: string | Date) =>
      new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }).format(
        new Date(value),
      ),
    shortDate: (value: string | Date) =>
      new Intl.DateTimeFormat(locale, { month: 'numeric', day: 'numeric' }).format(new Date(value)),
    date: (value: string | Date) => new Intl.DateTimeFormat(locale, day).format(new Date(value)),
    /** @param bytes whole */
    size: (bytes: number) => {
      const unit = bytes < 1e6 ? 'kilobyte' : 'megabyte';
      const value = bytes / (unit === 'kilobyte' ? 1e3 : 1e6);
      // No `byte` unit: browsers know its name in few languages.
      const maximumFractionDigits = bytes < 1e3 ? 3 : 1;
      const style = { style: 'unit', unit, maximumFractionDigits } as const;
      return new Intl.NumberFormat(locale, style).format(value);
    },
  };
}

/**
 * A time of the last days by how long it is ago, another in the reader's time zone; exactly, and in the API's form, as
 * tooltip. Null: a dash.
 */
export function Timestamp({
  value,
  isExact = false,
}: {
  readonly value: string | null | undefined;
  /** True where the order of moments matters: never by how long it is ago. */
  readonly isExact?: boolean;
}) {
  const { time } = useFormats();
  const ago = useAgo();
  if (value === null || value === undefined) return <>—</>;
  const exact = time(value);
  return (
    <time dateTime={value} title={`${exact} · ${value}`} className={classes.time}>
      {(isExact ? null : ago(value)) ?? exact}
    </time>
  );
}

/** Meaning of a status. */
export type Tone = 'good' | 'bad' | 'waiting' | 'neutral' | 'info';

/** A status as a badge. Colour is never its only information. */
export function StatusBadge({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ReactNode;
}) {
  return (
    <span className={classes.badge} data-tone={tone}>
      {children}
    </span>
  );
}

/** Title of a page and window, with the page's commands beside it. */
export function PageHeader({
  title,
  lead,
  back,
  actions,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Link to the record's list. */
  readonly back?: { readonly to: string; readonly label: string };
  readonly actions?: ReactNode;
}) {
  useWindowTitle(title);
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="sm">
      <Stack gap={2} miw={0}>
        {back !== undefined && (
          <Anchor component={Link} to={back.to} size="sm">
            <IconChevronLeft size={14} aria-hidden /> {back.label}
          </Anchor>
        )}
        <Title order={1} className={classes.title}>
          {title}
        </Title>
        {lead !== undefined && (
          <Text c="dimmed" size="sm" component="div">
            {lead}
          </Text>
        )}
      </Stack>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}

/** A titled section of a page. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className={classes.section} aria-label={title}>
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} className={classes.sectionTitle}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </section>
  );
}

/** A labelled value of a record. */
export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
  /** Text to copy; absent: not copyable. */
  readonly copy?: string | null;
}

/** Labels and values, the values copyable. */
export function FactList({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(({ label, value, copy }) => (
        <div key={label} className={classes.fact}>
          <dt>{label}</dt>
          <dd>
            <div className={classes.value}>{value ?? '—'}</div>
            {typeof copy === 'string' && <Copy value={copy} about={label} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows its children to accounts with the capability; the service enforces it. */
export function Can({
  capability,
  children,
}: {
  readonly capability: Capability;
  readonly children: ReactNode;
}) {
  return may(useAccount(), capability) ? children : null;
}

/** Old and new value, side by side. */
export function BeforeAfter({
  changes,
}: {
  readonly changes: readonly {
    readonly target: string;
    readonly before: ReactNode;
    readonly after: ReactNode;
  }[];
}) {
  const t = useTexts(sharedTexts);
  return (
    <ul className={classes.changes}>
      {changes.map(({ target, before, after }, index) => (
        <li key={`${target}-${index}`}>
          <span className={classes.target}>{target}</span>
          <span className={classes.change}>
            <del aria-label={t('before')}>{before}</del>
            <span aria-hidden> → </span>
            <ins aria-label={t('after')}>{after}</ins>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Entries of a list, one a line, as typed; `otherwise` where there are none. */
export function Entries({
  entries,
  otherwise,
}: {
  readonly entries: readonly string[];
  readonly otherwise: string;
}) {
  if (entries.length === 0) return <Text c="dimmed">{otherwise}</Text>;
  return (
    <Stack gap={2}>
      {entries.map((entry) => (
        <Text key={entry} size="sm" ff="monospace">
          {entry}
        </Text>
      ))}
    </Stack>
  );
}
