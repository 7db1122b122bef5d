import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Capability, may, useAccount } from '../account.ts';
import classes from './records.module.css';
import { actorWords, useWords } from './words.ts';

/** Who did something: the kind in a word, the id as it is. */
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

interface Place {
  readonly to: string;
  readonly capability: Capability;
}

/** Where things named by a UUID are shown, by the type of the row. */
const pages: readonly (Pick<Place, 'capability'> & {
  readonly types: RegExp;
  readonly path: string;
})[] = [
  { types: /^(SESSION_|DOC_STAMP)/, path: '/sessions', capability: 'session:read' },
  { types: /^DEVICE_/, path: '/devices', capability: 'device:read' },
  { types: /^RP_/, path: '/relying-parties', capability: 'rp:read' },
  { types: /^APPROVAL_/, path: '/approvals', capability: 'audit:read' },
  { types: /^KYC_/, path: '/identity-verifications', capability: 'user:read' },
  {
    types: /^DOCUMENT_(CREATE|FILE|SIGN)/,
    ...{ path: '/documents', capability: 'session:read' },
  },
  { types: /^OIDC_CLIENT_/, path: '/oidc-clients', capability: 'rp:read' },
];

/**
 * The page of what an audit row is about. A UUID alone does not say of what kind it is; the row's type does.
 *
 * @returns null when there is no page of it
 */
export function placeOf(subject: string, type: string): Place | null {
  if (subject.startsWith('PNOMN-')) return { to: `/citizens/${subject}`, capability: 'user:read' };
  if (subject.startsWith('NTRMN-')) {
    return { to: `/organizations/${subject}`, capability: 'org:read' };
  }
  if (/^(SEAL_)?CERT_/.test(type) && /^[0-9a-f]{1,40}$/.test(subject)) {
    return { to: `/certificates/${subject}`, capability: 'cert:read' };
  }
  const page = UUID.test(subject) ? pages.find(({ types }) => types.test(type)) : undefined;
  return page === undefined ? null : { to: `${page.path}/${subject}`, capability: page.capability };
}

/** What an audit row is about, a link where this account may open it. */
export function Subject({ subject, type }: { readonly subject: string; readonly type: string }) {
  const account = useAccount();
  const place = placeOf(subject, type);
  if (place === null || !may(account, place.capability)) {
    return <span className={classes.id}>{subject}</span>;
  }
  return (
    <span className={classes.id}>
      <PlaceLink to={place.to}>{subject}</PlaceLink>
    </span>
  );
}

/** A link to the page of a record, for who may open it; the others read its name. */
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
