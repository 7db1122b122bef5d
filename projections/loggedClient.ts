import type { EventStore } from '../application/ports/eventStore.ts';
import type { OidcClientEvent } from '../domain/oidcClient/events.ts';
import { oidcClientDecider, type RegisteredOidcClient } from '../domain/oidcClient/oidcClient.ts';
import { streamOf } from '../domain/shared/streams.ts';

/** A client of the OpenID Connect provider as the log has it, whatever its status; null: never registered. */
export type LoggedClient = (clientId: string) => Promise<RegisteredOidcClient | null>;

/** Reads clients from their streams: their rows have no secrets. */
export function createLoggedClient(eventStore: Pick<EventStore, 'read'>): LoggedClient {
  return async (clientId) => {
    let state = oidcClientDecider.initial;
    for await (const { event } of eventStore.read(streamOf('oidcClient', clientId))) {
      state = oidcClientDecider.evolve(state, event as OidcClientEvent);
    }
    return state.status === 'NONE' ? null : state;
  };
}
