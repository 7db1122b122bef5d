import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { use } from 'react';
import { type Capability, may, useAccount } from '../account.ts';
import { type Area, AreasContext } from '../area.ts';
import classes from './records.module.css';
import { actorWords, useWords } from './words.ts';

/** Actor of an event: kind and id. */
export function ActorName({
  actor,
}: {
  readonly actor: { readonly kind: string; readonly id: string };
}) {
  const word = useWords(actorWords);
  return (
    <span>
      {word(actor.kind)} <span className={classes.id}>{actor.id}</span>
    </span>
  );
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Page of an audit row's subject, and its address.
 *
 * @returns undefined when there is no page
 */
function placeOf(areas: readonly Area[], subject: string, type: string) {
  const page = areas
    .flatMap(({ pages }) => pages)
    .find(
      ({ shows }) =>
        shows !== undefined &&
        (shows.form ?? UUID).test(subject) &&
        (shows.types?.test(type) ?? true),
    );
  return page && { to: page.path.replace(/\$\w+$/, () => subject), capability: page.capability };
}

/** Subject of an audit row, a link where the account may open it. */
export function Subject({ subject, type }: { readonly subject: string; readonly type: string }) {
  const account = useAccount();
  const place = placeOf(use(AreasContext), subject, type);
  if (place === undefined || !may(account, place.capability)) {
    return <span className={classes.id}>{subject}</span>;
  }
  return (
    <span className={classes.id}>
      <PlaceLink to={place.to}>{subject}</PlaceLink>
    </span>
  );
}

/** Link to a record for accounts that may open it, else its name. */
export function RecordLink({
  to,
  capability,
  children,
}: {
  readonly to: string;
  readonly capability: Capability;
  readonly children: string;
}) {
  return may(useAccount(), capability) ? (
    <PlaceLink to={to}>{children}</PlaceLink>
  ) : (
    <>{children}</>
  );
}

function PlaceLink({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <Anchor component={Link} to={to} inherit className={classes.link}>
      {children}
    </Anchor>
  );
}
