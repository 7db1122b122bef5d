import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { use } from 'react';
import { type Capability, may, useAccount } from '../account.ts';
import { AreasContext } from '../area.ts';
import { Name, useKindOf, useNameOf } from '../names.tsx';
import classes from './records.module.css';
import { actorWords, useWords } from './words.ts';

/** Actor of an event: kind and name. */
export function ActorName({
  actor,
}: {
  readonly actor: { readonly kind: string; readonly id: string };
}) {
  const word = useWords(actorWords);
  const nameOf = useNameOf();
  const { kind, id } = actor;
  const isNobody = kind === 'system' || kind === 'unknown' || id === 'applicant';
  if (isNobody) return <span title={id}>{word(kind)}</span>;
  // The log names citizens by their civil id alone.
  const named = nameOf(kind === 'citizen' ? `PNOMN-${id}` : id);
  return <span title={id}>{kind === 'device' ? named : `${word(kind)} · ${named}`}</span>;
}

/** Name of an id: a link to its page where there is one and the account may open it. */
export function Subject({ id }: { readonly id: string }) {
  const nameOf = useNameOf();
  const kind = useKindOf()(id);
  const page = use(AreasContext)
    .flatMap(({ pages }) => pages)
    .find(({ shows }) => shows !== undefined && shows === kind);
  if (page?.capability === undefined) return <Name id={id} />;
  const to = page.path.replace(/\$\w+$/, () => id);
  return (
    <RecordLink to={to} capability={page.capability} id={id}>
      {nameOf(id)}
    </RecordLink>
  );
}

/** Link to a record for accounts that may open it, else its name. */
export function RecordLink({
  to,
  capability,
  id,
  children,
}: {
  readonly to: string;
  readonly capability: Capability;
  /** Shown on hover. */
  readonly id?: string;
  readonly children: string;
}) {
  return may(useAccount(), capability) ? (
    <PlaceLink to={to} title={id}>
      {children}
    </PlaceLink>
  ) : (
    <span title={id}>{children}</span>
  );
}

function PlaceLink({
  to,
  title,
  children,
}: {
  readonly to: string;
  readonly title?: string | undefined;
  readonly children: string;
}) {
  return (
    <Anchor component={Link} to={to} title={title} inherit className={classes.link}>
      {children}
    </Anchor>
  );
}
