import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import type {
  CertificateLevel,
  DeviceLinkSession,
  NotificationSession,
  Representation,
} from '@tamga/client';
import type { Failure } from './failures.ts';
import type { Language } from './texts/index.ts';
import type { Step } from './tracing.ts';

/** What the bank keeps of a browser, on the server only: device-link sessions hold a secret. Use your own session store. */
export interface Visitor {
  language: Language;
  /** Every form brings it back: another site cannot know it. */
  csrfToken: string;
  /** What the phone is asked for now. */
  pending?: Pending;
  /** While what the phone answered is being looked at. */
  isSettling?: boolean;
  /** Why the last attempt came to nothing. */
  failure?: Failure;
  customer?: Customer;
  /** Payment orders signed, the newest first. */
  readonly orders: SignedOrder[];
  contract?: Contract;
  /** The calls of the flow at hand, for the panel beside it. */
  steps: Step[];
  /** Until when it is kept without a visit, ms since 1970. */
  expiresAt: number;
}

/** How a request reaches the phone. */
export type Channel = 'push' | 'qr' | 'app';

/** A session waiting for its citizen. Beginning another replaces it as a whole. */
export interface Pending {
  readonly channel: Channel;
  readonly session: NotificationSession | DeviceLinkSession;
  /** What the citizen compares with the phone. */
  readonly code: string;
  readonly startedAt: number;
  /** Proves that the browser that returns is the one that was sent away; null: none was. */
  readonly state: string | null;
  readonly purpose: LoginPurpose | OrderPurpose | ContractPurpose;
}

export interface LoginPurpose {
  readonly kind: 'login';
}

export interface OrderPurpose {
  readonly kind: 'order';
  readonly order: PaymentOrder;
  /** Of the order's text. */
  readonly digest: string;
}

export interface ContractPurpose {
  readonly kind: 'contract';
  readonly contract: Contract;
  /** Of the PDF. */
  readonly digest: string;
}

/** Somebody who has logged in, as the certificate says. */
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

/** What a customer orders. */
export interface PaymentOrder {
  readonly payee: string;
  /** Tögrög, whole. */
  readonly amount: number;
  readonly reference: string;
  /** `NTRMN-<register>`; null: for oneself. */
  readonly onBehalfOf: string | null;
  /** What is signed, as UTF-8. */
  readonly text: string;
}

/** A signature as the bank files it. */
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

/** A PDF on its way from its upload to its stamp. */
export interface Contract {
  readonly fileName: string;
  readonly pdf: Buffer;
  readonly onBehalfOf: string | null;
  receipt?: Receipt;
  stamped?: Buffer;
}

const COOKIE = 'demo_bank';
/** Without a visit a session ends after this, ms. */
const IDLE_MS = 30 * 60_000;
/** More visitors than this make the bank forget the one it has not seen for longest. */
const MOST_VISITORS = 500;

/** The browsers the bank knows, each by an opaque cookie. */
export interface Visitors {
  /** The visitor of a request; a new one when it brings no cookie that is known. */
  of(request: Request, response: Response): Visitor;
  /** Gives the browser a new cookie and token: a cookie planted before the login must not be logged in with it. */
  renew(request: Request, response: Response, visitor: Visitor): void;
  forget(request: Request, response: Response): void;
}

export function createVisitors(options: {
  readonly path: string;
  readonly secure: boolean;
  readonly languageOf: (request: Request) => Language;
}): Visitors {
  // By the cookie's digest: who reads this memory cannot be somebody else.
  const known = new Map<string, Visitor>();
  const attributes = {
    httpOnly: true,
    // Not `strict`: the app's return comes from another site.
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
      // The last one seen comes last.
      known.delete(id);
      known.set(id, visitor);
      return visitor;
    },
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

/** Whether a form brought the visitor's own token back. */
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
