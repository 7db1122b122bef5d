import { errors, Provider } from 'oidc-provider';
import {
  type FoundRecord,
  type OidcRecord,
  type OidcState,
  sessionKind,
} from '../../application/openIdConnect/ports/oidcState.ts';
import type { Clock } from '../../application/ports/clock.ts';

/** State as one request of the library sees it: what belongs together is read and written by one statement. */
export interface RequestState {
  find(kind: string, id: string): Promise<FoundRecord | null>;
  findByUid(kind: string, uid: string): Promise<FoundRecord | null>;
  put(record: OidcRecord): Promise<void>;
  /** Marks a record as used. @throws InvalidGrant when it already is: now, or from {@link RequestState.finish} */
  use(kind: string, id: string): Promise<void>;
  remove(kind: string, id: string): Promise<void>;
  removeOfGrant(grantId: string, kind: string): Promise<void>;
  /**
   * Writes what the request left to its end. A refused token request leaves nothing: what was to be exchanged is
   * not used up.
   *
   * @throws InvalidGrant when another request used up what this one exchanged: nothing is stored
   */
  finish(request: FinishedRequest): Promise<void>;
}

/** Context of a request in the library, once it is answered. */
export interface FinishedRequest {
  readonly status: number;
  readonly oidc?: { readonly route: string } | undefined;
}

/** Kinds of records that a route's requests write at their end. */
const writtenLast: Readonly<Record<string, readonly string[]>> = {
  token: ['AccessToken', 'RefreshToken'],
  authorization: ['AuthorizationCode', 'Session'],
  resume: ['AuthorizationCode', 'Session'],
  // Both give the session another identifier: taken away first, one that is gone could not be told from it.
  device_resume: ['Session'],
  end_session_confirm: ['Session'],
};

function isWrittenLast(kind: string): boolean {
  return writtenLast[Provider.ctx?.oidc.route ?? '']?.includes(kind) === true;
}

/** Words of the library for what is brought twice, by which the audit knows them. */
const usedBefore: Readonly<Record<string, string>> = {
  AuthorizationCode: 'authorization code already consumed',
  RefreshToken: 'refresh token already used',
};

/** A browser's session as a request found it. */
interface FoundSession {
  readonly uid: string;
  /** Clients that the citizen was logged in at. */
  readonly clients: readonly string[];
}

/** State that one request has read ahead and not yet written. */
class Pending {
  /** Grants by id and sessions by uid, read beside their tokens, each for one look. */
  readonly ahead = new Map<string, FoundRecord | null>();
  /** By kind and identifier. */
  readonly records = new Map<string, OidcRecord>();
  used: { readonly kind: string; readonly id: string } | null = null;
  /** Sessions that were found, by identifier. */
  readonly sessions = new Map<string, FoundSession>();
  /** Identifier of the session that a written one takes the place of. */
  replaced: string | null = null;
  /** Uid of the session that was logged out of. */
  ended: string | null = null;

  /** Content that was read ahead; undefined: none was. */
  take(kind: string, id: string): FoundRecord | null | undefined {
    const key = `${kind} ${id}`;
    const found = this.ahead.get(key);
    this.ahead.delete(key);
    return found;
  }

  concerns(kind: string): boolean {
    return (
      this.used?.kind === kind || [...this.records.values()].some((record) => record.kind === kind)
    );
  }
}

/** Keeps what was read beside a record for the library's next look. */
function readAhead({ ahead }: Pending, { payload, grant, session }: FoundRecord): void {
  const alone = (content: FoundRecord['payload']) => ({
    payload: content,
    consumedAt: null,
    grant: null,
    session: null,
  });
  const { grantId, sessionUid } = payload;
  if (typeof grantId === 'string') ahead.set(`Grant ${grantId}`, grant && alone(grant));
  // Codes and tokens of former releases name their session in their content alone: it is looked for then.
  if (typeof sessionUid === 'string' && session !== null) {
    ahead.set(`${sessionKind} ${sessionUid}`, alone(session));
  }
}

function isSession(record: OidcRecord): record is OidcRecord & { readonly uid: string } {
  return record.kind === sessionKind && record.uid !== null;
}

/** True when the current request gives a session another identifier. */
function isReplaced(id: string): boolean {
  return Provider.ctx?.oidc.session?.jti !== id;
}

/** Clients of a session that the citizen is logged in at, by their ids. */
function authorizationsOf(payload: OidcRecord['payload']): Readonly<Record<string, unknown>> {
  return (payload['authorizations'] ?? {}) as Readonly<Record<string, unknown>>;
}

/**
 * A browser's session with the clients that were added to it while this request had it: the library writes it as a
 * whole, so that of two tabs the later one would log out the client of the other. A client's own entry is that of the
 * request, and those it logged out of stay away. Sessions of somebody else, who logged in between, are left alone.
 *
 * @param clients of the session as the request found it
 */
function sessionWith(
  kept: readonly FoundRecord['payload'][],
  payload: OidcRecord['payload'],
  clients: readonly string[],
) {
  const theirs = kept.filter(({ accountId }) => accountId === payload['accountId']);
  const added = theirs.flatMap((each) => Object.entries(authorizationsOf(each)));
  const authorizations = Object.fromEntries([
    ...added.filter(([client]) => !clients.includes(client)),
    ...Object.entries(authorizationsOf(payload)),
  ]);
  return Object.keys(authorizations).length === 0 ? payload : { ...payload, authorizations };
}

export function createRequestState({
  state,
  clock,
}: {
  readonly state: OidcState;
  readonly clock: Clock;
}): RequestState {
  const pending = new WeakMap<object, Pending>();

  /** Of the current request; undefined outside of one. */
  function current(): Pending | undefined {
    const { ctx } = Provider;
    if (ctx === undefined) return undefined;
    const known = pending.get(ctx) ?? new Pending();
    pending.set(ctx, known);
    return known;
  }

  async function use(
    { kind, id }: { readonly kind: string; readonly id: string },
    made: readonly OidcRecord[],
  ): Promise<void> {
    const now = clock.now();
    if (await state.consume(kind, id, now, ...made)) return;
    // Refused as by the library, whose earlier check was true for both.
    const found = await state.find(kind, id, now);
    const grantId = found?.payload['grantId'];
    if (typeof grantId === 'string') await state.removeOfGrant(grantId);
    throw new errors.InvalidGrant(usedBefore[kind] ?? 'already used');
  }

  async function write(left: Pending): Promise<void> {
    const { used, replaced, ended } = left;
    const made = [...left.records.values()];
    left.used = null;
    left.replaced = null;
    left.ended = null;
    left.records.clear();
    if (used !== null) await use(used, made);
    else if (made.length > 0) await store(made, left);
    if (replaced !== null) await state.remove(sessionKind, replaced);
    if (ended !== null) await state.removeShared(sessionKind, ended);
  }

  /**
   * Stores records, a browser's session beside what other tabs wrote. One that was found and is gone was logged out
   * meanwhile, and stays so.
   */
  async function store(records: readonly OidcRecord[], left: Pending | undefined): Promise<void> {
    const session = records.find(isSession);
    if (session === undefined) return state.put(...records);
    const others = records.filter((record) => record !== session);
    const found = [...(left?.sessions.values() ?? [])].find(({ uid }) => uid === session.uid);
    const payloadWith = (kept: readonly FoundRecord['payload'][]) =>
      found !== undefined && kept.length === 0
        ? null
        : sessionWith(kept, session.payload, found?.clients ?? []);
    return state.putShared(session, payloadWith, ...others);
  }

  /** Ends a session, or takes one away whose place another identifier takes. */
  async function removeSession(left: Pending, id: string, uid: string): Promise<void> {
    if (!isReplaced(id)) {
      if (Provider.ctx?.oidc.route !== 'end_session_confirm') {
        return state.removeShared(sessionKind, uid);
      }
      left.ended = uid;
      return;
    }
    if (isWrittenLast(sessionKind)) {
      left.replaced = id;
      return;
    }
    left.sessions.delete(id);
    await state.remove(sessionKind, id);
  }

  function noteSession(id: string, payload: OidcRecord['payload']): void {
    const { uid } = payload;
    const clients = Object.keys(authorizationsOf(payload));
    if (typeof uid === 'string') current()?.sessions.set(id, { uid, clients });
  }

  /** Writes at once what a look at this kind must see. */
  async function settle(kind: string): Promise<void> {
    const left = current();
    if (left?.concerns(kind) === true) await write(left);
  }

  return {
    async find(kind, id) {
      const known = current();
      const ahead = kind === 'Grant' ? known?.take(kind, id) : undefined;
      if (ahead !== undefined) return ahead;
      await settle(kind);
      const found = await state.find(kind, id, clock.now());
      if (found !== null && known !== undefined) readAhead(known, found);
      if (kind === sessionKind && found !== null) noteSession(id, found.payload);
      return found;
    },
    async findByUid(kind, uid) {
      const ahead = current()?.take(kind, uid);
      if (ahead !== undefined) return ahead;
      await settle(kind);
      return state.findByUid(kind, uid, clock.now());
    },
    async put(record) {
      const known = current();
      known?.take(record.kind, record.kind === sessionKind ? (record.uid ?? '') : record.id);
      if (known === undefined || !isWrittenLast(record.kind)) {
        await store([record], known);
        return;
      }
      known.records.set(`${record.kind} ${record.id}`, record);
    },
    async use(kind, id) {
      const known = current();
      if (known === undefined || Provider.ctx?.oidc.route !== 'token' || known.used !== null) {
        await use({ kind, id }, []);
        return;
      }
      known.used = { kind, id };
    },
    async remove(kind, id) {
      const known = current();
      known?.ahead.clear();
      await settle(kind);
      const uid = kind === sessionKind ? known?.sessions.get(id)?.uid : undefined;
      if (known === undefined || uid === undefined) await state.remove(kind, id);
      else await removeSession(known, id, uid);
    },
    async removeOfGrant(grantId, kind) {
      current()?.ahead.clear();
      await settle(kind);
      await state.removeOfGrant(grantId, kind);
    },
    async finish(request) {
      const left = pending.get(request);
      pending.delete(request);
      if (left === undefined) return;
      if (request.oidc?.route === 'token' && request.status >= 400) return;
      await write(left);
    },
  };
}
