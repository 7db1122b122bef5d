import type { PhoneRequest, PinName } from '../../session.ts';

// Storage of this phone in IndexedDB: its state, which contains non-exportable CryptoKeys, and its
// history.

/** A private key wrapped under a PIN. */
export interface WrappedKey {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** PKCS#8 encrypted with AES-256-GCM. */
  readonly wrapped: ArrayBuffer;
  readonly nonce: Uint8Array<ArrayBuffer>;
  /** Salt of the wrapping key's derivation. */
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly iterations: number;
  /** Consecutive wrong PINs. */
  readonly wrongPins: number;
}

export interface PhoneState {
  readonly etsi: string;
  /** Name of the citizen's card; empty until the first certificate is read. */
  readonly name: string;
  readonly keys: Readonly<Record<PinName, WrappedKey>>;
  /** P-256, not extractable: the app signs its requests with it, without a PIN. */
  readonly transport: CryptoKey;
  /** HMAC-SHA-256, not extractable: PINs can only be tried in this browser. */
  readonly pepper: CryptoKey;
  /** Body of an enrolment in progress, repeated unchanged until it is answered. */
  readonly enrolment: object | null;
  readonly documentNumber: string | null;
}

/** Entry of the history. */
export interface HistoryEntry extends Pick<
  PhoneRequest,
  'sessionId' | 'kind' | 'relyingPartyName' | 'subsystem' | 'fileName'
> {
  readonly text: string;
  /** Organization represented; null: none. */
  readonly onBehalfOf: string | null;
  readonly endResult: string;
  /** ISO 8601. */
  readonly at: string;
}

export interface Store {
  load(): Promise<PhoneState | null>;
  /** Replaces the whole state, which must have been loaded within {@link withStateLock}. */
  save(state: PhoneState): Promise<void>;
  /** Deletes the phone and its history, once no tab is writing. */
  clear(): Promise<void>;
  remember(entry: HistoryEntry): Promise<void>;
  /** Reads the history, the newest first. */
  history(): Promise<readonly HistoryEntry[]>;
}

const NAME = 'tamga-phone';

/**
 * Runs `work` under a lock shared by all tabs, for a consistent read and write of the state. One
 * lock for the whole state, because it is written as a whole: counting one PIN must not undo the
 * count of the other.
 */
export async function withStateLock<Result>(work: () => Promise<Result>): Promise<Result> {
  return await navigator.locks.request(NAME, work);
}

/** Key of the only row. */
const ONLY = 'phone';
/** Size limit of the history, entries. */
const HISTORY_LIMIT = 200;

/** Opens the phone's database, and creates it if necessary. */
export async function openStore(): Promise<Store> {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore('state');
    opening.result.createObjectStore('history', { keyPath: 'sessionId' }).createIndex('at', 'at');
  };
  const database = await settled(opening);

  /** Cast: only this code writes the database. */
  function within<Result>(
    name: 'state' | 'history',
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest,
  ): Promise<Result> {
    // Must survive a crash: a wrong PIN counts.
    const transaction = database.transaction(name, mode, { durability: 'strict' });
    const request = work(transaction.objectStore(name));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result as Result);
      transaction.onabort = () =>
        reject(transaction.error ?? new Error('The IndexedDB transaction was aborted.'));
    });
  }

  async function history(): Promise<readonly HistoryEntry[]> {
    const entries = await within<HistoryEntry[]>('history', 'readonly', (store) =>
      store.index('at').getAll(),
    );
    return entries.reverse();
  }

  return {
    load: async () =>
      (await within<PhoneState | undefined>('state', 'readonly', (store) => store.get(ONLY))) ??
      null,
    save: async (state) => {
      await within('state', 'readwrite', (store) => store.put(state, ONLY));
    },
    clear: () =>
      withStateLock(async () => {
        await within('state', 'readwrite', (store) => store.delete(ONLY));
        await within('history', 'readwrite', (store) => store.clear());
      }),
    remember: async (entry) => {
      await within('history', 'readwrite', (store) => store.put(entry));
      for (const { sessionId } of (await history()).slice(HISTORY_LIMIT)) {
        await within('history', 'readwrite', (store) => store.delete(sessionId));
      }
    },
    history,
  };
}

function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The database cannot be opened.'));
  });
}
