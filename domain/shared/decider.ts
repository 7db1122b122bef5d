/**
 * An aggregate as three pure members: initial state, event application, command decision. `decide` returns the events
 * to append, none when the command is already satisfied, and throws {@link Refusal} when the command is not allowed.
 * Time, identifiers and random values arrive in the command.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  readonly decide: (command: Command, state: State) => readonly Event[];
}

/**
 * A fact in the past tense. `type` and the structure of `data` are a storage format: never edited in place, only
 * upcast.
 */
export interface DomainEvent<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data;
}

/** The state after all `events`, in order, starting from the decider's initial state. */
export function fold<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  events: Iterable<Event>,
): State {
  let state = decider.initial;
  for (const event of events) state = decider.evolve(state, event);
  return state;
}

/** Makes a missing case a compile error; reaching it at run time is a defect. */
export function unreachable(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}
