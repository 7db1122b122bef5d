import { expect } from 'chai';
import { createShutdownStack } from '../../main/composition/shutdownStack.ts';
import { rejection } from '../support/assertions/rejection.ts';

describe('A shutdown stack', () => {
  it('stops the newest first, each once', async () => {
    const shutdown = createShutdownStack();
    const stopped: string[] = [];
    for (const name of ['database', 'log', 'server']) shutdown.defer(() => stopped.push(name));
    await shutdown.stop();
    await shutdown.stop();
    expect(stopped).to.deep.equal(['server', 'log', 'database']);
  });

  it('stops the others when one fails, and tells of it', async () => {
    const shutdown = createShutdownStack();
    const stopped: string[] = [];
    shutdown.defer(() => stopped.push('database'));
    shutdown.defer(() => Promise.reject(new Error('the log did not stop')));
    expect(await rejection(shutdown.stop())).to.have.property('message', 'the log did not stop');
    expect(stopped).to.deep.equal(['database']);
  });
});
