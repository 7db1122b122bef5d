import type { ReactNode } from 'react';
import { texts as admins } from '../../areas/admins/texts.ts';
import { texts as approvals } from '../../areas/approvals/texts.ts';
import { texts as certificates } from '../../areas/certificates/texts.ts';
import { texts as citizens } from '../../areas/citizens/texts.ts';
import { texts as devices } from '../../areas/devices/texts.ts';
import { texts as oidcClients } from '../../areas/oidcClients/texts.ts';
import { texts as organizations } from '../../areas/organizations/texts.ts';
import { texts as relyingParties } from '../../areas/relyingParties/texts.ts';
import { texts as sessions } from '../../areas/sessions/texts.ts';
import type { Capability } from '../../shared/account.ts';
import { read } from '../../shared/api/useRead.ts';
import type { Texts } from '../../shared/texts.ts';
import {
  ApprovalTold,
  CertificateTold,
  ClientTold,
  DeviceTold,
  OperatorTold,
  RelyingPartyTold,
  SessionTold,
} from './Told.tsx';

/** A thing found. */
interface Found {
  /** Path of its page. */
  readonly to: string;
  readonly name: string;
  /** Tells it apart from others of its name, in words. */
  readonly detail: ReactNode;
}

/** Finds things of one kind by a text that people know them by. */
interface Finder {
  readonly capability: Capability;
  /** Name of the kind, as in the navigation. */
  readonly texts: Texts<'nav'>;
  readonly find: (q: string, signal: AbortSignal) => Promise<readonly Found[]>;
}

/** Things of a kind shown at once. */
const SHOWN = 5;
const wanted = (q: string) => ({ params: { query: { q, limit: SHOWN } } });

/** Kinds of things that are searched, in the order they are shown. */
export const finders: readonly Finder[] = [
  {
    capability: 'user:read',
    texts: citizens,
    find: async (q, signal) => {
      const { items } = await read('/v3/admin/users', wanted(q), signal);
      return items.map(({ etsi, lastName, firstName, civilId }) => ({
        to: `/citizens/${etsi}`,
        name: `${lastName} ${firstName}`,
        detail: civilId,
      }));
    },
  },
  {
    capability: 'rp:read',
    texts: relyingParties,
    find: async (q, signal) => {
      const { items } = await read('/v3/admin/relying-parties', wanted(q), signal);
      return items.map((row) => ({
        to: `/relying-parties/${row.relyingPartyUUID}`,
        name: row.relyingPartyName,
        detail: <RelyingPartyTold row={row} />,
      }));
    },
  },
  {
    capability: 'org:read',
    texts: organizations,
    find: async (q, signal) => {
      const { items } = await read('/v3/admin/organizations', wanted(q), signal);
      return items.map(({ orgEtsi, orgRegister, name }) => ({
        to: `/organizations/${orgEtsi}`,
        name,
        detail: orgRegister,
      }));
    },
  },
  {
    capability: 'device:read',
    texts: devices,
    find: async (q, signal) => {
      const { items } = await read('/v3/admin/devices', wanted(q), signal);
      return items.map((row) => ({
        to: `/devices/${row.documentNumber}`,
        name: row.owner.name,
        detail: <DeviceTold row={row} />,
      }));
    },
  },
  {
    capability: 'cert:read',
    texts: certificates,
    find: async (q, signal) => {
      const { items } = await read('/v3/admin/certificates', wanted(q), signal);
      return items.map((row) => ({
        to: `/certificates/${row.serial}`,
        name: row.holder.kind === 'service' ? row.holder.purpose : row.holder.name,
        detail: <CertificateTold row={row} />,
      }));
    },
  },
  {
    capability: 'session:read',
    texts: sessions,
    find: async (q, signal) => {
      const { items, names } = await read('/v3/admin/sessions', wanted(q), signal);
      const nameOf = (id: string | null) => names.find((each) => each.id === id)?.name;
      return items.map((row) => ({
        to: `/sessions/${row.sessionId}`,
        name: [nameOf(row.personEtsi), nameOf(row.relyingPartyUUID)].filter(Boolean).join(' · '),
        detail: <SessionTold row={row} />,
      }));
    },
  },
  {
    capability: 'rp:read',
    texts: oidcClients,
    find: async (q, signal) => {
      const { items } = await read('/v3/admin/oidc-clients', wanted(q), signal);
      return items.map((row) => ({
        to: `/oidc-clients/${row.clientId}`,
        name: row.name,
        detail: <ClientTold row={row} />,
      }));
    },
  },
  {
    capability: 'audit:read',
    texts: approvals,
    find: async (q, signal) => {
      const { items, names } = await read('/v3/admin/approvals', wanted(q), signal);
      return items.map((row) => ({
        to: `/approvals/${row.id}`,
        name: names.find(({ id }) => id === row.subject)?.name ?? row.requestedByEmail ?? '—',
        detail: <ApprovalTold row={row} />,
      }));
    },
  },
  {
    capability: 'admin:manage',
    texts: admins,
    find: async (q, signal) => {
      const { items } = await read(
        '/v3/admin/admins',
        { params: { query: { limit: 200 } } },
        signal,
      );
      return items
        .filter(({ email }) => email.toLowerCase().includes(q.toLowerCase()))
        .slice(0, SHOWN)
        .map((row) => ({ to: '/admins', name: row.email, detail: <OperatorTold row={row} /> }));
    },
  },
];
