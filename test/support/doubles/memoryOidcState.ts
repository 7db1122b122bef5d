import {
  type OidcRecord,
  type OidcState,
  sessionKind,
} from '../../../application/openIdConnect/ports/oidcState.ts';

interface Kept extends OidcRecord {
  readonly consumedAt: Date | null;
}

/** The state of the OpenID Connect provider in this process, sealed from nobody. */
export function memoryOidcState(): OidcState {
  const kept = new Map<string, Kept>();
  const keyOf = ({ kind, id }: Pick<OidcRecord, 'kind' | 'id'>) => `${kind}:${id}`;
  function grantOf({ kind, grantId }: Kept, now: Date) {
    const grant = grantId === null ? undefined : kept.get(keyOf({ kind: 'Grant', id: grantId }));
    return kind === 'Grant' || grant === undefined || grant.expiresAt <= now ? null : grant.payload;
  }

  function sessionOf({ kind, uid }: Kept, now: Date) {
    if (kind === sessionKind || uid === null) return null;
    const isOfIt = (other: Kept) => other.kind === sessionKind && other.uid === uid;
    const session = [...kept.values()].find((other) => isOfIt(other) && other.expiresAt > now);
    return session?.payload ?? null;
  }

  const found = (record: Kept | undefined, now: Date) =>
    record === undefined || record.expiresAt <= now
      ? null
      : {
          payload: record.payload,
          consumedAt: record.consumedAt,
          grant: grantOf(record, now),
          session: sessionOf(record, now),
        };

  function removeWhere(isGone: (record: Kept) => boolean): boolean {
    const gone = [...kept].filter(([, record]) => isGone(record));
    for (const [key] of gone) kept.delete(key);
    return gone.length > 0;
  }

  function put(...records: readonly OidcRecord[]): Promise<void> {
    for (const record of records) {
      const consumedAt = kept.get(keyOf(record))?.consumedAt ?? null;
      kept.set(keyOf(record), { ...record, consumedAt });
    }
    return Promise.resolve();
  }

  const ofUid = (kind: string, uid: string) =>
    [...kept.values()]
      .filter((record) => record.kind === kind && record.uid === uid)
      .sort((one, other) => one.expiresAt.getTime() - other.expiresAt.getTime());

  return {
    put,
    putShared(record, payloadWith, ...others) {
      const payloads = ofUid(record.kind, record.uid).map(({ payload }) => payload);
      const payload = payloadWith(payloads);
      return payload === null ? put(...others) : put({ ...record, payload }, ...others);
    },
    find: (kind, id, now) => Promise.resolve(found(kept.get(keyOf({ kind, id })), now)),
    findByUid: (kind, uid, now) => Promise.resolve(found(ofUid(kind, uid).at(-1), now)),
    async consume(kind, id, now, ...made) {
      const record = kept.get(keyOf({ kind, id }));
      if (record === undefined || record.consumedAt !== null) return false;
      kept.set(keyOf(record), { ...record, consumedAt: now });
      await put(...made);
      return true;
    },
    claim(kind, id, expiresAt, now) {
      const held = kept.get(keyOf({ kind, id }));
      if (held !== undefined && held.expiresAt > now) return Promise.resolve(false);
      const nobody = { civilId: null, clientId: null, grantId: null, uid: null };
      kept.set(keyOf({ kind, id }), {
        ...nobody,
        kind,
        id,
        payload: {},
        expiresAt,
        consumedAt: null,
      });
      return Promise.resolve(true);
    },
    remove(kind, id) {
      kept.delete(keyOf({ kind, id }));
      return Promise.resolve();
    },
    removeShared(kind, uid) {
      removeWhere((record) => record.kind === kind && record.uid === uid);
      return Promise.resolve();
    },
    removeOfGrant(grantId, kind) {
      removeWhere(
        (record) => record.grantId === grantId && (kind === undefined || record.kind === kind),
      );
      return Promise.resolve();
    },
    removeOfClient(clientId, civilId, kind) {
      removeWhere(
        (record) =>
          record.clientId === clientId &&
          (civilId === null || record.civilId === civilId) &&
          (kind === undefined || record.kind === kind),
      );
      return Promise.resolve();
    },
    removeOfCitizen: (civilId) =>
      Promise.resolve(removeWhere((record) => record.civilId === civilId)),
    sessionsOf: (civilId, now) =>
      Promise.resolve(
        [...kept.values()]
          .filter(({ kind, ...record }) => kind === sessionKind && record.civilId === civilId)
          .filter(({ expiresAt }) => expiresAt > now)
          .map(({ payload }) => payload),
      ),
    removeExpired(now) {
      removeWhere(({ expiresAt }) => expiresAt <= now);
      return Promise.resolve();
    },
  };
}
