import { Anchor, Group, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../shared/api/useRead.ts';
import { useTexts } from '../../shared/texts.ts';
import { Section, StatusBadge, useFormats } from '../../shared/ui/parts.tsx';
import { ProblemAlert } from '../../shared/ui/ProblemAlert.tsx';
import classes from './Health.module.css';
import { texts } from './texts.ts';

const REFRESH_MS = 10_000;
/** Delay of a read model shown as a warning, s. */
const LATE = 2;

/** State of dependencies, and delay of read models. */
export function Health() {
  const t = useTexts(texts);
  const { data, error, refetch } = useRead('/v3/admin/system', {}, { every: REFRESH_MS });
  const isWell =
    data?.dependencies.every(({ state }) => state === 'up') === true &&
    data.parked.length + data.deadLetters.length === 0 &&
    data.projections.every(({ lagSeconds }) => lagSeconds < LATE);
  return (
    <Section
      title={t('health')}
      actions={
        <Group gap="sm">
          {data !== undefined && (
            <StatusBadge tone={isWell ? 'good' : 'bad'}>
              {t(isWell ? 'healthy' : 'unhealthy')}
            </StatusBadge>
          )}
          <Anchor component={Link} to="/system" size="sm">
            {t('more')}
          </Anchor>
        </Group>
      }
    >
      {error !== null && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={60} />}
      {data !== undefined && (
        <ul className={classes.list}>
          {data.dependencies.map(({ name, state }) => (
            <Item key={name} name={name} isWell={state === 'up'} said={t(state)} />
          ))}
          {data.projections.map((each) => (
            <Projection key={each.name} {...each} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Projection({ name, lagSeconds }: { readonly name: string; readonly lagSeconds: number }) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const said =
    lagSeconds < 0.05
      ? t('current')
      : t('behind', { value: number(Math.round(lagSeconds * 10) / 10) });
  return <Item name={name} isWell={lagSeconds < LATE} said={said} />;
}

function Item({
  name,
  isWell,
  said,
}: {
  readonly name: string;
  readonly isWell: boolean;
  readonly said: string;
}) {
  return (
    <li className={classes.item} data-well={isWell}>
      <span className={classes.light} aria-hidden />
      <span className={classes.name}>{name}</span>
      <span className={classes.said}>{said}</span>
    </li>
  );
}
