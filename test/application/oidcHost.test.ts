import { expect } from 'chai';
import { createRateLimit } from '../../api/bounds/admission.ts';
import { createOidcHost } from '../../application/openIdConnect/host.ts';
import type { OidcAccessEvent } from '../../domain/oidcAccess/events.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';
import { until } from '../support/http/http.ts';

const reason = 'CLIENT_AUTHENTICATION_FAILED' as const;

/** A host that records at most three refusals of one kind a minute. */
function newHost(
  record: (event: OidcAccessEvent) => Promise<void>,
  onFailure: (cause: unknown) => void = never,
) {
  const limit = createRateLimit({ name: 'test', redis: null });
  const host = createOidcHost({
    findClient: () => Promise.resolve(null),
    apisOf: () => Promise.resolve([]),
    consents: { load: never, refresh: never, handle: never, handleNew: never },
    findAccount: () => Promise.resolve(null),
    emailOf: () => Promise.resolve(null),
    accessLog: record,
    admitRecord: async (kind) => {
      await limit.consume(kind, 3);
    },
    clock: manualClock(),
    onFailure,
  });
  return (clientId: string, times: number) => {
    for (let n = 0; n < times; n += 1) host.refused({ clientId, accountId: null, reason });
  };
}

describe('Callbacks of the OpenID Connect provider', () => {
  it('record refusals of one client and kind up to the limit, without a failure beyond it', async () => {
    const recorded: string[] = [];
    const refuse = newHost((event) => {
      recorded.push((event.data as { clientId: string }).clientId);
      return Promise.resolve();
    });
    refuse('one', 50);
    refuse('other', 1);
    await until(() => recorded.includes('other'));
    expect(recorded).to.deep.equal(['one', 'one', 'one', 'other']);
  });

  it('report a refusal that could not be recorded', async () => {
    const failures: unknown[] = [];
    const lost = new Error('The log is unavailable.');
    const refuse = newHost(
      () => Promise.reject(lost),
      (cause) => failures.push(cause),
    );
    refuse('one', 1);
    await until(() => failures.length > 0);
    expect(failures).to.deep.equal([lost]);
  });
});

function never(): never {
  throw new Error('Nobody asks for this here.');
}
