import type { z } from 'zod';
import { eventTypes } from '../../domain/events.ts';
import { schemaOf } from '../../domain/shared/eventFields.ts';
import type { Since } from '../../domain/shared/defineEvents.ts';
import type { PersonalFields } from '../../domain/shared/personalData.ts';

/** Codec of one event type. */
export interface CatalogEntry {
  /** The schema version written today, from 1. Older ones are brought up to it by upcasters. */
  readonly version: number;
  /** The level of the installation from which it is written; omitted or null: at every level. */
  readonly since?: Since | null;
  /** Fields and values with which the version before is written; omitted or null: none. */
  readonly sameBefore?: Readonly<Record<string, unknown>> | null;
  /** Fields encrypted under a person's key; null when the type has none. */
  readonly personal: PersonalFields | null;
  /** The shape of `data` today. */
  readonly schema: z.ZodType<object>;
}

/** Event types by name. */
export type Catalog = Readonly<Record<string, CatalogEntry>>;

/** Every event type there is. */
export const catalog: Catalog = Object.fromEntries(
  [...eventTypes].map(([type, { version, since, sameBefore, personal, data }]) => [
    type,
    { version, since, sameBefore, personal, schema: schemaOf(data) },
  ]),
);
