import { type Json, textIn } from './json.ts';

/** Signals of a phone, as it reports them of itself; null: it does not know. A newer service may tell more. */
export interface RiskSignals {
  /** Kind of its system. */
  readonly platform: 'IOS' | 'ANDROID' | 'SIMULATED' | null;
  /** Version of its system. */
  readonly osVersion: string | null;
  /** Version of the app. */
  readonly appVersion: string | null;
  /** The maker of the system vouches for phone and app. */
  readonly attested: boolean | null;
  /** The phone is locked by a PIN, a pattern, a face or a finger. */
  readonly screenLock: boolean | null;
  /** The system's own protections are off. */
  readonly rooted: boolean | null;
  /** It is no real phone. */
  readonly emulator: boolean | null;
}

/** Name of a signal of a phone. */
export type RiskSignal = keyof RiskSignals;

const systems = ['IOS', 'ANDROID', 'SIMULATED'] as const;

/** Reader of each signal; a value that this version does not know is none. */
const readers: { readonly [Name in RiskSignal]: (from: Json, name: Name) => RiskSignals[Name] } = {
  platform: (from, name) => systems.find((each) => each === from[name]) ?? null,
  osVersion: textIn,
  appVersion: textIn,
  attested: yesOrNo,
  screenLock: yesOrNo,
  rooted: yesOrNo,
  emulator: yesOrNo,
};

/** Names of all signals. */
export const riskSignalNames = Object.keys(readers) as readonly RiskSignal[];

/** Reads the signals that were told. */
export function readRiskSignals(told: Json | null): Partial<RiskSignals> | null {
  if (told === null) return null;
  const named = riskSignalNames.filter((name) => name in told);
  return Object.fromEntries(named.map((name) => [name, read(told, name)]));
}

function read<Name extends RiskSignal>(told: Json, name: Name): RiskSignals[Name] {
  return readers[name](told, name);
}

function yesOrNo(from: Json, name: string): boolean | null {
  const value = from[name];
  return typeof value === 'boolean' ? value : null;
}
