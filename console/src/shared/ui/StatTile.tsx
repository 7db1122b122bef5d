import type { ReactNode } from 'react';
import classes from './StatTile.module.css';

/** One number that matters, with what it is of. */
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

/** Tiles side by side. */
export function StatTiles({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.tiles}>{children}</dl>;
}
