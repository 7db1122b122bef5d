import { Anchor, Box, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../texts.ts';
import classes from './ChartFigure.module.css';
import { chartTexts } from './chartTexts.ts';

/** A page of the console with its filters. */
export interface Place {
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
}

/** A value that leads to what it counts. */
export function Leading({
  to,
  children,
}: {
  readonly to: Place | null;
  readonly children: ReactNode;
}) {
  if (to === null) return children;
  return (
    <Anchor component={Link} to={to.to} search={to.search as never} inherit>
      {children}
    </Anchor>
  );
}

/** A row of a chart's data. */
export interface ChartRow {
  readonly label: string;
  readonly values: readonly string[];
  /** Pages of what each value counts; null: it has none. */
  readonly places?: readonly (Place | null)[];
}

/**
 * A chart with its title and an equivalent table, for accessibility.
 *
 * @param series names of the values of {@link ChartRow}
 */
export function ChartFigure({
  title,
  lead,
  first,
  series,
  rows,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Header of the label column. */
  readonly first: string;
  readonly series: readonly string[];
  readonly rows: readonly ChartRow[];
  readonly children: ReactNode;
}) {
  const t = useTexts(chartTexts);
  return (
    <figure className={classes.figure}>
      <figcaption>
        <h2 className={classes.title}>{title}</h2>
        {lead !== undefined && (
          <Text size="sm" c="dimmed">
            {lead}
          </Text>
        )}
      </figcaption>
      <Box aria-hidden className={classes.chart}>
        {children}
      </Box>
      <details className={classes.details}>
        <summary>{t('asTable')}</summary>
        <div className={classes.scroll} tabIndex={0} role="region" aria-label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{first}</th>
                {series.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ label, values, places }) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  {values.map((value, index) => (
                    <td key={series[index]}>
                      <Leading to={places?.[index] ?? null}>{value}</Leading>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
