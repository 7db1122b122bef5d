import { type Capability, capabilities } from '../operator/capabilities.ts';
import type { DomainEvent } from './decider.ts';
import type { Fields, Shape } from './eventFields.ts';
import type { PersonalFields } from './personalData.ts';

// Declarations of the storage format of all events. Names and fields are never edited in place: add a schema version
// and an upcaster (infrastructure/codec/upcasters.ts) and keep the old golden fixture.

/** The level of the installation at which a version of an event begins to be written (ADR 65). */
export interface Since<Field extends string = string> {
  /** From 2. */
  readonly level: number;
  /** Fields that the version before lacks; below the level it is written without them. Null: there is none before. */
  readonly adds: readonly Field[] | null;
}

/** Audit rule of one event type. */
export interface AuditRule<Data extends object = object, Type extends string = string> {
  /** Type shown in the audit's rows and filters; several types of event may share one. */
  readonly type: Type;
  /** Capability an operator needs to cause it; omitted: operators do not cause it. */
  readonly capability?: Capability | ((data: Data) => Capability | null);
  /** Public identifier of what it was done to; omitted: the identifier in the stream's name. */
  readonly subject?: (data: Data) => string;
  /** Civil id of the citizen concerned; omitted: nobody. */
  readonly civilId?: (data: Data) => string | null;
  /** The event says that something was refused. */
  readonly isDenied?: true;
  /** Further facts, none of them personal; omitted: none. */
  readonly details?: (data: Data) => Readonly<Record<string, unknown>>;
}

/** All that the platform knows of one type of event. */
export interface EventDeclaration<Data extends Shape = Shape, AuditType extends string = string> {
  /** The schema version written today, from 1. */
  readonly version: number;
  /** Null: at every level. */
  readonly since: Since | null;
  /**
   * Fields that this version added, each with the value with which the version before says the same. Then that one is
   * written, which every process reads; null: never.
   */
  readonly sameBefore: Readonly<Record<string, unknown>> | null;
  /** The fields of `data` in that version. */
  readonly data: Data;
  /** Fields encrypted under a person's key; null: none. */
  readonly personal: PersonalFields | null;
  readonly audit: AuditRule<object, AuditType>;
}

/** The events in streams of one category. */
export interface EventDeclarations {
  /** Prefix of their streams' names. */
  readonly category: string;
  readonly events: Readonly<Record<string, EventDeclaration>>;
}

/** Declares one type of event; `version` 1 and no personal fields unless said otherwise. */
export function event<const Data extends Shape, const AuditType extends string>(declaration: {
  readonly version?: number;
  readonly since?: Since<NoInfer<keyof Data & string>>;
  readonly sameBefore?: NoInfer<Partial<Fields<Data>>>;
  readonly data: Data;
  readonly personal?: PersonalFields<NoInfer<Fields<Data>>>;
  readonly audit: AuditRule<NoInfer<Fields<Data>>, AuditType>;
}): EventDeclaration<Data, AuditType> {
  const {
    version = 1,
    since = null,
    sameBefore = null,
    data,
    personal = null,
    audit,
  } = declaration;
  // Erased on purpose: what their functions take was checked against the fields by the caller's compiler.
  return {
    version,
    since,
    sameBefore,
    data,
    personal: personal as PersonalFields | null,
    audit: audit as AuditRule<object, AuditType>,
  };
}

/** Declares the events of one aggregate; all else about them is derived (`domain/events.ts`). */
export function defineEvents<
  const Category extends string,
  const Events extends EventDeclarations['events'],
>(category: Category, events: Events) {
  return { category, events } as const;
}

/** An event of one of these types; without `Type`: of any of them. */
export type EventOf<
  Of extends EventDeclarations,
  Type extends keyof Of['events'] & string = keyof Of['events'] & string,
> = { [Each in Type]: DomainEvent<Each, Fields<Of['events'][Each]['data']>> }[Type];

/** The capability an event names, when it is one of today's. */
export const recordedCapability = ({ capability }: { readonly capability: string | null }) =>
  capabilities.find((known) => known === capability) ?? null;
