import { expect } from 'chai';
import { createOidcHost } from '../../application/openIdConnect/host.ts';
import type { OidcAccessEvent } from '../../domain/oidcAccess/events.ts';
import { manualClock } from '../support/memoryPorts.ts';

describe('What the OpenID Connect provider asks of the platform', () => {
  it('records refusals of one kind and client up to a number a minute: strangers cause them', () => {
    const recorded: OidcAccessEvent[] = [];
    const clock = manualClock();
    const host = createOidcHost({
      findClient: () => Promise.resolve(null),
      consents: { load: never, handle: never, handleNew: never },
      findAccount: () => Promise.resolve(null),
      emailOf: () => Promise.resolve(null),
      accessLog: (event) => {
        recorded.push(event);
        return Promise.resolve();
      },
      ...{ clock, onFailure: never },
    });
    const refuse = (clientId: string, times: number) => {
      const reason = 'CLIENT_AUTHENTICATION_FAILED' as const;
      for (let n = 0; n < times; n += 1) host.refused({ clientId, accountId: null, reason });
    };
    refuse('one', 50);
    expect(recorded).to.have.length(20);
    refuse('other', 1);
    expect(recorded).to.have.length(21);
    clock.advance(60_000);
    refuse('one', 1);
    expect(recorded).to.have.length(22);
  });
});

function never(): never {
  throw new Error('Nobody asks for this here.');
}
