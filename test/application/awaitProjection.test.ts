import { expect } from 'chai';
import { awaitProjection, expectShown } from '../../application/handleCommand.ts';
import { NotYetShown, Unavailable } from '../../application/ports/faults.ts';
import { rejection } from '../support/assertions/rejection.ts';

describe('A command whose effect is not shown in time', () => {
  const stopped = { untilProjected: () => Promise.reject(new Unavailable('database')) };
  const handled = Promise.resolve({ position: 7n, state: 'done' });

  it('is answered from its aggregate all the same', async () => {
    expect(await awaitProjection(stopped, handled)).to.include({ state: 'done' });
  });

  it('says that it is done where its answer is read from a read model', async () => {
    expect(await rejection(expectShown(stopped, handled))).to.be.instanceOf(NotYetShown);
  });

  it('still fails when it was not handled at all', async () => {
    const failing = Promise.reject(new Unavailable('eventStore'));
    expect(await rejection(awaitProjection(stopped, failing))).to.include({
      name: 'Unavailable',
      dependency: 'eventStore',
    });
  });
});
