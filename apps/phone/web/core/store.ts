import { utf8 } from '../../bytes.ts';
import type { PhoneState, PhoneStore, PinHash } from '../../phoneState.ts';
import type { PastRequest } from '../../session.ts';

// Storage of this phone in IndexedDB: its state, which contains non-exportable CryptoKeys, and its
// history.

/** Entry of the history; those stored before there was a code lack it. */
export type HistoryEntry = Omit<PastRequest, 'verificationCode'> &
  Partial<Pick<PastRequest, 'verificationCode'>>;

export interface Store extends PhoneStore {
  /** Deletes the phone and its history, once no tab is writing. */
  clear(): Promise<void>;
  remember(entry: HistoryEntry): Promise<void>;
  /** Reads the history, the newest first. */
  history(): Promise<readonly HistoryEntry[]>;
}

const NAME = 'tamga-phone';

/** Runs `work` under a lock shared by all tabs. */
async function withStateLock<Result>(work: () => Promise<Result>): Promise<Result> {
  return await navigator.locks.request(NAME, work);
}

/** PBKDF2-HMAC-SHA-256 of the peppered PIN. */
const browserPinHash: PinHash = {
  /** A good part of a second on a phone. */
  iterations: 600_000,
  /** It never leaves the browser, so a copy of the wrapped keys cannot be attacked elsewhere. */
  newPepper: () => crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
  async wrappingKey(pin, { salt, iterations, pepper }) {
    if (pepper === null) throw new Error('The phone in this browser has lost a key.');
    const peppered = await crypto.subtle.sign('HMAC', pepper, utf8(pin));
    const secret = await crypto.subtle.importKey('raw', peppered, 'PBKDF2', false, ['deriveKey']);
    const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
    const aes = { name: 'AES-GCM', length: 256 };
    const usages = ['wrapKey', 'unwrapKey', 'decrypt', 'encrypt'] as const;
    return crypto.subtle.deriveKey(derivation, secret, aes, false, [...usages]);
  },
};

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
    pinHash: browserPinHash,
    isText: false,
    alone: withStateLock,
    load: async () => {
      const stored = await within<PhoneState | undefined>('state', 'readonly', (store) =>
        store.get(ONLY),
      );
      // Phones stored before there was a choice have keys of the browser's only type.
      return stored === undefined ? null : { ...stored, keyType: 'P-256' };
    },
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
