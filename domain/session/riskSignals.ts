import {
  boolean,
  type Fields,
  list,
  nullable,
  object,
  oneOf,
  text,
} from '../shared/eventFields.ts';

/** Systems of phones, as a relying party is told. */
export const phoneSystems = ['IOS', 'ANDROID', 'SIMULATED'] as const;

/** Signals of a phone, as it reports them of itself; null: the phone does not know. */
const values = {
  platform: nullable(oneOf(phoneSystems)),
  osVersion: nullable(text),
  appVersion: nullable(text),
  /** The maker of the system vouches for phone and app. */
  attested: nullable(boolean),
  /** The phone is locked by a PIN, a pattern, a face or a finger. */
  screenLock: nullable(boolean),
  /** The system's own protections are off. */
  rooted: nullable(boolean),
  emulator: nullable(boolean),
};

export type RiskSignals = Fields<typeof values>;

/** Signals as a phone sends them: a subset. */
export type SentSignals = { readonly [Name in RiskSignal]?: RiskSignals[Name] | undefined };

export type RiskSignal = keyof RiskSignals;

/** Names of all signals there are. */
export const riskSignals = Object.keys(values) as readonly RiskSignal[];

/** Values of an event: all signals, those that were not asked for null. */
export const signalValues = object(values);

export const signalNames = list(oneOf(riskSignals));

const asked = {
  names: signalNames,
  /** Confirming tells them; false: the citizen may confirm without. */
  required: boolean,
};

/** Signals that a relying party asks for with its request. */
export const signalsAsked = object(asked);

export type SignalsAsked = Fields<typeof asked>;

const unknown: RiskSignals = {
  platform: null,
  osVersion: null,
  appVersion: null,
  attested: null,
  screenLock: null,
  rooted: null,
  emulator: null,
};

/** Signals to be told: those that were asked for, however many the phone sent. */
export function signalsToTell(names: readonly RiskSignal[], sent: SentSignals): RiskSignals {
  const told = names.map((name) => [name, sent[name] ?? null] as const);
  return { ...unknown, ...Object.fromEntries(told) };
}
