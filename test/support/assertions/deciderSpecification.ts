import { expect } from 'chai';
import { type Decider, type DomainEvent, fold } from '../../../domain/shared/decider.ts';
import { isRefusal, type RefusalCode } from '../../../domain/shared/refusal.ts';

/** `given(decider)([past events]).when(command).then([new events])` or `.thenRefuses(code)`. */
export function given<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
) {
  return (past: readonly Event[]) => ({
    when: (command: Command) => {
      const decide = () => decider.decide(command, fold(decider, past));
      return {
        then: (events: readonly Event[]) => {
          expect(decide()).to.deep.equal(events);
        },
        thenRefuses: (code: RefusalCode) => {
          expect(decide)
            .to.throw()
            .that.satisfies((error: unknown) => isRefusal(error, code));
        },
      };
    },
  });
}
