import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import type {
  CertificateLevel,
  DeviceLinkSession,
  NotificationSession,
  Representation,
} from '@tamga/client';
import type { Failure, FailureKind } from './failures.ts';
import type { AskedPayment } from './flows/payByConsent.ts';
import type { Language } from './texts/index.ts';
import type { Step } from './tracing.ts';

/** Number typed into the form of the login, and why it is wrong. */
export interface WrongNumber {
  readonly typed: string;
  readonly kind: FailureKind;
}

/**
 * Session data of a browser, on the server only: device-link sessions hold a secret. Use your own
 * session store.
 */
export interface Visitor {
  language: Language;
  /** CSRF token, sent with every form: another site cannot know it. */
  csrfToken: string;
  /** Session waiting for the phone. */
  pending?: Pending;
  /** Set while the result is being validated. */
  isSettling?: boolean;
  /** Reason the last attempt failed. */
  failure?: Failure;
  /** Number that no login could be started with, for the form it was typed into. */
  wrongNumber?: WrongNumber;
  customer?: Customer;
  /** Payment orders signed, the newest first. */
  readonly orders: SignedOrder[];
  contract?: Contract;
  /** Payment the platform asks the citizen to authorize. */
  payment?: AskedPayment;
  /** Steps and calls of the current flow, for the panel. */
  steps: Step[];
  /** Expiry unless visited again, ms since 1970. */
  expiresAt: number;
}

/** Channel to the phone. */
export type Channel = 'push' | 'qr' | 'app';

/** A session waiting for its citizen. Starting another replaces it. */
export interface Pending {
  readonly channel: Channel;
  readonly session: NotificationSession | DeviceLinkSession;
  /** Verification code the citizen compares with the phone. */
  readonly code: string;
  readonly startedAt: number;
  /** `state` that identifies the returning browser; null: no redirect. */
  readonly state: string | null;
  readonly purpose: LoginPurpose | OrderPurpose | ContractPurpose;
}

export interface LoginPurpose {
  readonly kind: 'login';
}

export interface OrderPurpose {
  readonly kind: 'order';
  readonly order: PaymentOrder;
  /** Digest of the order's text. */
  readonly digest: string;
}

export interface ContractPurpose {
  readonly kind: 'contract';
  readonly contract: Contract;
  /** Digest of the PDF. */
  readonly digest: string;
}

/** A customer who has logged in, as named by the certificate. */
export interface Customer {
  /** `PNOMN-<civil id>`. */
  readonly etsi: string;
  readonly givenName: string;
  readonly surname: string;
  readonly documentNumber: string;
  readonly channel: Channel;
  readonly level: CertificateLevel;
  readonly certificate: {
    readonly serialNumber: string;
    readonly issuer: string;
    readonly validFrom: string;
    readonly validTo: string;
    readonly fingerprint: string;
  };
  readonly loggedInAt: Date;
  /** Organizations the customer may act for. */
  readonly representations: readonly Representation[];
}

/** A payment order. */
export interface PaymentOrder {
  readonly payee: string;
  /** Amount in whole tögrög. */
  readonly amount: number;
  readonly reference: string;
  /** `NTRMN-<register>`; null: for oneself. */
  readonly onBehalfOf: string | null;
  /** Signed text, UTF-8. */
  readonly text: string;
}

/** Stored signature of an order or document. */
export interface Receipt {
  readonly sessionId: string;
  readonly signer: string;
  readonly algorithm: string;
  readonly digest: string;
  readonly signature: string;
  readonly onBehalfOf: string | null;
  readonly signedAt: Date;
}

export interface SignedOrder extends PaymentOrder {
  readonly receipt: Receipt;
}

/** A PDF between upload and stamp. */
export interface Contract {
  readonly fileName: string;
  readonly pdf: Buffer;
  readonly onBehalfOf: string | null;
  receipt?: Receipt;
  stamped?: Buffer;
}

const COOKIE = 'demo_bank';
/** Lifetime of a session without a visit, ms. */
const IDLE_MS = 30 * 60_000;
/** Capacity; beyond it the least recently seen visitor is forgotten. */
const MOST_VISITORS = 500;

/** Visitors of the bank, each identified by an opaque cookie. */
export interface Visitors {
  /** Visitor of a request; a new one when the cookie is missing or unknown. */
  of(request: Request, response: Response): Visitor;
  /** Tells whether the request's cookie is current; a login replaces it. */
  knows(request: Request): boolean;
  /** Issues a new cookie and token at login, against session fixation. */
  renew(request: Request, response: Response, visitor: Visitor): void;
  forget(request: Request, response: Response): void;
}

export function createVisitors(options: {
  readonly path: string;
  readonly secure: boolean;
  readonly languageOf: (request: Request) => Language;
}): Visitors {
  // Keyed by the cookie's digest: a leak of this memory reveals no cookie.
  const known = new Map<string, Visitor>();
  const attributes = {
    httpOnly: true,
    // Not `strict`: the app's callback is a cross-site navigation.
    sameSite: 'lax' as const,
    secure: options.secure,
    path: options.path,
  };

  function admit(response: Response, visitor: Visitor): Visitor {
    const id = randomBytes(32).toString('base64url');
    known.set(digestOf(id), visitor);
    response.cookie(COOKIE, id, attributes);
    for (const [oldest, { expiresAt }] of known) {
      if (expiresAt > Date.now() && known.size <= MOST_VISITORS) break;
      known.delete(oldest);
    }
    return visitor;
  }

  return {
    of(request, response) {
      const id = digestOf(cookieOf(request));
      const visitor = known.get(id);
      if (visitor === undefined || visitor.expiresAt < Date.now()) {
        return admit(response, newVisitor(options.languageOf(request)));
      }
      visitor.expiresAt = Date.now() + IDLE_MS;
      // Moves the visitor to the end: the map is ordered by last visit.
      known.delete(id);
      known.set(id, visitor);
      return visitor;
    },
    knows: (request) => known.has(digestOf(cookieOf(request))),
    renew(request, response, visitor) {
      known.delete(digestOf(cookieOf(request)));
      visitor.csrfToken = newToken();
      admit(response, visitor);
    },
    forget(request, response) {
      known.delete(digestOf(cookieOf(request)));
      response.clearCookie(COOKIE, attributes);
    },
  };
}

/** Compares a form's CSRF token with the visitor's. */
export function hasToken(visitor: Visitor, brought: unknown): boolean {
  return (
    typeof brought === 'string' &&
    timingSafeEqual(Buffer.from(digestOf(brought)), Buffer.from(digestOf(visitor.csrfToken)))
  );
}

function newVisitor(language: Language): Visitor {
  const expiresAt = Date.now() + IDLE_MS;
  return { language, csrfToken: newToken(), orders: [], steps: [], expiresAt };
}

function newToken(): string {
  return randomBytes(24).toString('base64url');
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function cookieOf(request: Request): string {
  return new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1] ?? '';
}
