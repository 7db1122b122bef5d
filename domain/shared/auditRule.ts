import { type Capability, capabilities } from '../operator/capabilities.ts';
import { organizationEtsi, personEtsi } from './etsi.ts';

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

/** The citizen an event names; null: nobody. */
export const civilIdOf = (data: { readonly civilId: string | null }) => data.civilId;

/** ETSI identifier of the citizen an event names. */
export const personOf = (data: { readonly civilId: string }) => personEtsi(data.civilId);

/** ETSI identifier of the organization an event names. */
export const organizationOf = (data: { readonly register: string }) =>
  organizationEtsi(data.register);

/** The capability an event names, when it is one of today's. */
export const recordedCapability = ({ capability }: { readonly capability: string | null }) =>
  capabilities.find((known) => known === capability) ?? null;
