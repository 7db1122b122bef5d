import { Text } from '@mantine/core';
import classes from './HealthList.module.css';
import type { Finding } from './useHealth.ts';

/** Parts of the service, each with its state; of what is not well also the reason, what follows and what to do. */
export function HealthList({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul className={classes.list}>
      {findings.map(({ key, name, said, isWell, help, reason }) => (
        <li key={key} className={classes.item} data-well={isWell}>
          <span className={classes.light} aria-hidden />
          <span className={classes.name}>{name}</span>
          <span className={classes.said}>{said}</span>
          {help !== null && (
            <Text size="sm" className={classes.help}>
              {reason !== null && `${reason} `}
              {help}
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}
