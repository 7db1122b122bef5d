import type { PhoneRequest, PinName } from '../../session.ts';

// What this phone keeps, in IndexedDB: its state, which holds CryptoKeys no script can read, and its history.

/** A private key under a PIN. */
export interface WrappedKey {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** PKCS#8 under AES-256-GCM. */
  readonly wrapped: ArrayBuffer;
  readonly nonce: Uint8Array<ArrayBuffer>;
  /** Of the derivation of the wrapping key. */
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly iterations: number;
  /** Wrong PINs in a row. */
  readonly wrongPins: number;
}

export interface PhoneState {
  readonly etsi: string;
  /** As the citizen's card has it; empty until the first certificate is read. */
  readonly name: string;
  readonly keys: Readonly<Record<PinName, WrappedKey>>;
  /** P-256, not extractable: the app signs its calls with it, without a PIN. */
  readonly transport: CryptoKey;
  /** HMAC-SHA-256, not extractable: PINs are tried here or nowhere. */
  readonly pepper: CryptoKey;
  /** The body of an enrolment under way: repeated as it is until it is answered. */
  readonly enrolment: object | null;
  readonly documentNumber: string | null;
}

/** What became of a request, as the history has it. */
export interface HistoryEntry extends Pick<
  PhoneRequest,
  'sessionId' | 'kind' | 'relyingPartyName' | 'subsystem' | 'fileName'
> {
  readonly text: string;
  /** The organization acted for; null: nobody else. */
  readonly onBehalfOf: string | null;
  readonly endResult: string;
  /** ISO 8601. */
  readonly at: string;
}

export interface Store {
  load(): Promise<PhoneState | null>;
  /** Writes the state as a whole: what it was made from must have been loaded {@link exclusively}. */
  save(state: PhoneState): Promise<void>;
  /** Forgets the phone and its history, once nobody works on the state any more. */
  clear(): Promise<void>;
  remember(entry: HistoryEntry): Promise<void>;
  /** The newest first. */
  history(): Promise<readonly HistoryEntry[]>;
}

const NAME = 'tamga-phone';

/**
 * Works on the state alone, among all tabs: what is loaded within is what is written over. One lock for all of the state, as
 * it is written as a whole: counting a PIN must not take back what was counted of the other.
 */
export async function exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
  return await navigator.locks.request(NAME, work);
}

/** The phone's one row. */
const ONLY = 'phone';
/** Entries the history keeps. */
const KEPT = 200;

/** Opens the phone's database, and makes it where there is none. */
export async function openStore(): Promise<Store> {
  const opening = indexedDB.open(NAME, 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore('state');
    opening.result.createObjectStore('history', { keyPath: 'sessionId' }).createIndex('at', 'at');
  };
  const database = await settled(opening);

  /** What is read is what was written: nobody else uses this database. */
  function within<Result>(
    name: 'state' | 'history',
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest,
  ): Promise<Result> {
    // What was written must outlive a crash: a wrong PIN counts.
    const transaction = database.transaction(name, mode, { durability: 'strict' });
    const request = work(transaction.objectStore(name));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result as Result);
      transaction.onabort = () => reject(transaction.error ?? new Error('Nothing was written.'));
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
      exclusively(async () => {
        await within('state', 'readwrite', (store) => store.delete(ONLY));
        await within('history', 'readwrite', (store) => store.clear());
      }),
    remember: async (entry) => {
      await within('history', 'readwrite', (store) => store.put(entry));
      for (const { sessionId } of (await history()).slice(KEPT)) {
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
