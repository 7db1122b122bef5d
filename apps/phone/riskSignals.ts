/** Signals that a phone tells of itself with its citizen's consent; null: not known. */
export interface RiskSignals {
  readonly platform: 'IOS' | 'ANDROID' | 'SIMULATED' | null;
  readonly osVersion: string | null;
  readonly appVersion: string | null;
  readonly attested: boolean | null;
  readonly screenLock: boolean | null;
  readonly rooted: boolean | null;
  readonly emulator: boolean | null;
}

/** Signals that a relying party asks for, by the service's names. */
export interface SignalsAsked {
  readonly names: readonly string[];
  /** Confirming tells them. */
  readonly required: boolean;
}

/** Signals of a simulated phone: nobody vouches for it, and of the machine below it knows nothing. */
export const simulatedSignals: RiskSignals = {
  platform: 'SIMULATED',
  osVersion: null,
  appVersion: null,
  attested: false,
  screenLock: null,
  rooted: null,
  emulator: true,
};

/** Signals to send: those asked for that this version knows; null: none were asked for, or the citizen tells none. */
export function signalsToSend(
  asked: SignalsAsked | null,
  known: RiskSignals,
  isAgreed: boolean,
): Partial<RiskSignals> | null {
  if (asked === null || !(asked.required || isAgreed)) return null;
  return Object.fromEntries(Object.entries(known).filter(([name]) => asked.names.includes(name)));
}
