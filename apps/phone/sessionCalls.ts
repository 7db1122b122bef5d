import { LinkError, readScannedLink } from './deviceLink.ts';
import type { ServiceRequest } from './service.ts';
import type { PinName, SessionDetails } from './session.ts';

// Session requests of the device API, shared by all phones.

/** Path segment by which a session is ended. */
export type Ending = 'confirm' | 'refuse' | 'certificate';

export interface SessionCallsOptions {
  /** Sends a request with this phone's proof. @throws ServiceError */
  readonly call: <Answer>(request: ServiceRequest) => Promise<Answer>;
  /** Computes the verification code of the data to be signed. */
  readonly codeOf: (details: SessionDetails) => string | Promise<string>;
}

/** Another phone of the owner. */
export interface NoticedPhone {
  readonly documentNumber: string;
  readonly platform: string;
  readonly enrolledAt: string;
  /** True when "It was not me" ends it on this phone. */
  readonly mayEnd: boolean;
}

/**
 * News that asks for no answer: another phone was enrolled, or one of the owner's organizations changed, or a right in
 * it.
 */
export interface Notice {
  readonly noticeId: string;
  readonly givenAt: string;
  readonly device: NoticedPhone | null;
  readonly right: {
    readonly orgEtsi: string;
    readonly orgName: string;
    readonly change: 'REQUESTED' | 'INVITED' | 'GRANTED' | 'WITHDRAWN';
    readonly personEtsi: string;
    readonly personName: string | null;
  } | null;
  /** Absent from services before there was such a notice. */
  readonly organization?: {
    readonly orgName: string;
    readonly orgNameEn: string | null;
    readonly change: 'RENAMED' | 'CERTIFIED';
  } | null;
}

/** Session requests. All: @throws ServiceError */
export interface SessionCalls {
  /** Waits for sessions not yet `seen`, `timeoutMs` at most. @returns their ids */
  inbox(options: {
    readonly timeoutMs: number;
    readonly seen: readonly string[];
    readonly signal?: AbortSignal | undefined;
    /** Called with the seen ones that seem to have ended. */
    readonly onEnded?: ((sessionIds: readonly string[]) => void) | undefined;
  }): Promise<readonly string[]>;
  /**
   * Reads a session by its id or a link of any form. Claims a device link.
   *
   * @throws LinkError when the text is not a link, or the session differs from the link
   */
  open(linkOrId: string): Promise<{ readonly details: SessionDetails; readonly code: string }>;
  /** Notices to the owner, the newest first. */
  notices(): Promise<readonly Notice[]>;
  /**
   * "It was not me": stops the phone a notice tells of, and the enrolment of others for a time.
   *
   * @param signature with PIN1, base64, over the data of `disownLayout`
   */
  disown(noticeId: string, signature: string): Promise<void>;
  /** Says that a PIN is locked for good. */
  reportLocked(pin: PinName): Promise<void>;
  /** Says that the PIN field of a session is shown. A hint: not to be waited for, and without it nothing is lost. */
  showsPin(sessionId: string): Promise<void>;
  /** @returns end result of the session */
  end(sessionId: string, how: Ending, body: object): Promise<string>;
}

/** Requests that this app can answer, beyond those of its first release: others it is not given. */
const abilities = { batch: true, signals: true };
const able = Object.entries(abilities)
  .map(([name, value]) => `${name}=${value}`)
  .join('&');

/** Time for the network on top of the long-poll timeout, ms. */
const HTTP_MARGIN = 10_000;

export function createSessionCalls({ call, codeOf }: SessionCallsOptions): SessionCalls {
  return {
    async inbox({ timeoutMs, seen, signal, onEnded }) {
      const known = seen.length === 0 ? '' : `&seen=${seen.join(',')}`;
      const { sessions, ended = [] } = await call<
        Readonly<Record<'sessions' | 'ended', readonly { sessionId: string }[] | undefined>>
      >({
        method: 'GET',
        path: `/v3/device/inbox?timeoutMs=${timeoutMs}${known}`,
        timeoutMs: timeoutMs + HTTP_MARGIN,
        ...(signal === undefined ? {} : { signal }),
      });
      onEnded?.(ended.map(({ sessionId }) => sessionId));
      return (sessions ?? []).map(({ sessionId }) => sessionId);
    },
    async open(linkOrId) {
      const scanned = readScannedLink(linkOrId);
      if (scanned.type === 'signed') {
        const { link, kind } = scanned;
        const body = { link, ...abilities };
        const request = { method: 'POST', path: '/v3/device/links', body } as const;
        const details = await call<SessionDetails>(request);
        if (details.kind !== kind) {
          throw new LinkError('The session is of another type than the link.');
        }
        return { details, code: await codeOf(details) };
      }
      const path = `/v3/device/sessions/${encodeURIComponent(scanned.sessionId)}?${able}`;
      const details = await call<SessionDetails>({ method: 'GET', path });
      const code = await codeOf(details);
      if (![null, code].includes(scanned.verificationCode)) {
        throw new LinkError('The link shows another code than the one of what would be signed.');
      }
      return { details, code };
    },
    async notices() {
      const request = { method: 'GET', path: '/v3/device/notices' } as const;
      return (await call<{ notices: readonly Notice[] }>(request)).notices;
    },
    async disown(noticeId, signature) {
      const path = `/v3/device/notices/${encodeURIComponent(noticeId)}/disown`;
      await call({ method: 'POST', path, body: { signature } });
    },
    async reportLocked(pin) {
      await call({ method: 'POST', path: `/v3/device/pins/${pin}/locked` });
    },
    async showsPin(sessionId) {
      const path = `/v3/device/sessions/${encodeURIComponent(sessionId)}/pin-entry`;
      await call({ method: 'POST', path });
    },
    async end(sessionId, how, body) {
      const { endResult } = await call<{ endResult: string }>({
        method: 'POST',
        path: `/v3/device/sessions/${encodeURIComponent(sessionId)}/${how}`,
        body,
      });
      return endResult;
    },
  };
}
