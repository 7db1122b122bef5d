import type pg from 'pg';
import type { ServicePurpose } from '../../domain/certificate/events.ts';
import { lastDone } from './lastDone.ts';
import { createDatabase } from './pool.ts';

/** State of an installation, as its database knows it. */
export interface InstallationState {
  readonly databaseBytes: number;
  /** DER, by name of the authority. */
  readonly authorities: readonly { readonly name: string; readonly certificate: Buffer }[];
  readonly lists: readonly {
    readonly authority: string;
    readonly thisUpdate: Date;
    readonly nextUpdate: Date;
  }[];
  /** The newest signed head of the audit tree; null: none yet. */
  readonly treeHead: { readonly size: number; readonly signedAt: Date } | null;
  /** Leaves of the audit tree. */
  readonly treeSize: number;
  /** Distance of each subscriber from the newest known position. */
  readonly behind: readonly {
    readonly name: string;
    readonly positions: number;
    /** Age of the first event it has not seen; null: the log is elsewhere. */
    readonly seconds: number | null;
  }[];
  /** Certificates that the platform's own services use. */
  readonly services: readonly { readonly purpose: ServicePurpose; readonly notAfter: Date }[];
  /** Moment of the last backup that was noted; null: none. */
  readonly lastBackup: Date | null;
}

/**
 * Reads it and changes nothing.
 *
 * @returns null before the first `./tamga migrate`
 */
export async function readInstallationState(pool: pg.Pool): Promise<InstallationState | null> {
  const rows = async <Row extends pg.QueryResultRow>(text: string) =>
    (await pool.query<Row>(text)).rows;
  const [has] = await rows<{ found: boolean }>(
    `select to_regclass('checkpoint') is not null as found`,
  );
  if (has?.found !== true) return null;
  const [size] = await rows<{ bytes: string }>(
    `select pg_database_size(current_database())::text as bytes`,
  );
  const [head] = await rows<{ size: string; signedAt: Date }>(
    `select size::text, signed_at as "signedAt" from audit_tree_head order by number desc limit 1`,
  );
  const [tree] = await rows<{ size: string }>('select size::text from audit_tree');
  const behind = await rows<{ name: string; positions: string; seconds: number | null }>(
    `select name, (greatest((select max(position) from event), max(position) over ()) - coalesce(position, 0))::text as positions,
       extract(epoch from now() - (
         select (metadata::jsonb ->> 'time')::timestamptz from event
         where event.position > coalesce(checkpoint.position, 0) order by event.position limit 1
       ))::float8 as seconds
     from checkpoint order by name`,
  );
  const [log] = await rows<{ isHere: boolean }>('select exists (select from event) as "isHere"');
  return {
    databaseBytes: Number(size?.bytes ?? 0),
    authorities: await rows('select name, certificate from ca_certificate order by name'),
    lists: await rows(
      `select authority, this_update as "thisUpdate", next_update as "nextUpdate"
       from revocation_list order by authority`,
    ),
    treeHead: head === undefined ? null : { size: Number(head.size), signedAt: head.signedAt },
    treeSize: Number(tree?.size ?? 0),
    behind: behind.map(({ name, positions, seconds }) => ({
      name,
      positions: Number(positions),
      seconds: log?.isHere === true ? Math.max(0, seconds ?? 0) : null,
    })),
    services: await rows(
      `select used.purpose, not_after as "notAfter"
       from service_identity used join certificate_view using (serial) order by used.purpose`,
    ),
    lastBackup: await lastDone(createDatabase(pool), 'backup'),
  };
}
