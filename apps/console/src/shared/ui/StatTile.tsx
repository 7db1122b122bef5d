import type { ReactNode } from 'react';
import classes from './StatTile.module.css';

/** A figure with its label. */
export function StatTile({
  label,
  value,
  hint,
  tone = 'plain',
}: {
  readonly label: string;
  readonly value: ReactNode;
  readonly hint?: ReactNode;
  readonly tone?: 'plain' | 'attention';
}) {
  return (
    <div className={classes.tile} data-tone={tone}>
      <dt>{label}</dt>
      <dd className={classes.value}>{value}</dd>
      {hint !== undefined && <dd className={classes.hint}>{hint}</dd>}
    </div>
  );
}

/** Tiles in a row. */
export function StatTiles({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.tiles}>{children}</dl>;
}
