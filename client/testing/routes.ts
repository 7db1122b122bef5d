import { randomUUID } from 'node:crypto';
import { sha256Base64 } from '../index.ts';
import { isObject, type Json, textIn } from '../json.ts';
import { certificateLevels } from '../types.ts';
import type { Citizens, FakeCitizen } from './citizens.ts';
import { FakeProblem, type FakeRequest, type Handlers, pdfIn } from './exchange.ts';
import type { Organizations } from './organizations.ts';
import { personPkiHandlers } from './personPki.ts';
import {
  createSession,
  documentsIn,
  type FakeSession,
  type FakeSessionKind,
  type KeptSession,
} from './sessions.ts';
import type { FakeTime } from './time.ts';

interface RoutesOptions {
  readonly citizens: Citizens;
  readonly organizations: Organizations;
  readonly time: FakeTime;
  readonly schemeName: string;
  readonly brokeredRpName: string;
  readonly onStart: (session: FakeSession) => void;
}

/** Calls of the relying-party API that the fake platform answers. */
export interface Routes {
  readonly sessions: readonly FakeSession[];
  /** @returns JSON, or a PDF. @throws FakeProblem */
  answer(request: FakeRequest, signal: AbortSignal | null): Promise<Json | Uint8Array>;
  /** Settles what its time has come for. */
  settle(): void;
}

const kinds: Readonly<Record<string, FakeSessionKind>> = {
  authentication: 'AUTHENTICATION',
  signature: 'SIGNATURE',
  'signature/certificate-choice': 'CERTIFICATE_CHOICE',
};

const start =
  /^POST \/v3\/(authentication|signature|signature\/certificate-choice)\/(notification|device-link)\/(anonymous|etsi|document|linked)(?:\/([^/]+))?$/;

/** Longest time of one poll, ms. */
const LONGEST_POLL_MS = 60_000;

export function createRoutes(options: RoutesOptions): Routes {
  const { citizens, organizations, time } = options;
  const sessions: KeptSession[] = [];
  const prepared = new Map<string, Uint8Array>();

  const handlers: Handlers = [
    [start, startSession],
    [/^GET \/v3\/session\/([^/]+)$/, poll],
    [/^DELETE \/v3\/session\/([^/]+)$/, cancel],
    [/^GET \/v3\/session\/([^/]+)\/events$/, events],
    [/^POST \/v3\/signature\/certificate\/([^/]+)$/, certificateOf],
    [/^POST \/v3\/signature\/prepare$/, prepare],
    [/^POST \/v3\/signature\/stamp\/([^/]+)$/, stamp],
    ...organizations.handlers,
    ...personPkiHandlers({ citizens, organizations, sessions, startedAt: new Date() }),
  ];

  function startSession({ body }: FakeRequest, segments: readonly string[]): Json {
    const [path = '', flow = '', , id = ''] = segments;
    const request = isObject(body) ? body : {};
    const citizen = id === '' ? null : known(id);
    const kind = kinds[path] ?? 'AUTHENTICATION';
    if (citizen !== null) refuseUnfit(citizen, request);
    const session = createSession(citizens, {
      ...options,
      representedBy: organizations.representedBy,
      kind,
      flow: flow === 'notification' ? 'notification' : 'device-link',
      citizen,
      request,
      startedAt: time.now,
    });
    sessions.push(session);
    session.settle(time.now);
    options.onStart(session);
    return session.started;
  }

  async function poll(
    { query }: FakeRequest,
    [sessionId = '']: readonly string[],
    signal: AbortSignal | null,
  ): Promise<Json> {
    const session = kept(sessionId);
    const wait = Math.min(Number(query['timeoutMs'] ?? 0), LONGEST_POLL_MS);
    if (session.isRunning && wait > 0) {
      await time.wait(wait, signal, (end) => {
        session.onEnd(end);
      });
    }
    return session.polled();
  }

  function cancel(_request: FakeRequest, [sessionId = '']: readonly string[]): Json {
    const session = kept(sessionId);
    if (session.isRunning) session.answer('CANCELLED_BY_RP');
    return session.polled();
  }

  /** Answers with the outcome alone, once it is there. */
  async function events(
    request: FakeRequest,
    segments: readonly string[],
    signal: AbortSignal | null,
  ): Promise<Uint8Array> {
    const query = { timeoutMs: String(LONGEST_POLL_MS) };
    const state = await poll({ ...request, query }, segments, signal);
    return Buffer.from(`id: ${randomUUID()}\ndata: ${JSON.stringify(state)}\n\n`);
  }

  function certificateOf({ body }: FakeRequest, [documentNumber = '']: readonly string[]): Json {
    const citizen = known(documentNumber);
    refuseUnfit(citizen, isObject(body) ? body : {});
    const { certificate } = citizens.holderOf(citizen, 'SIGN', null);
    const cert = { value: certificate.toString('base64'), certificateLevel: citizen.level };
    return citizen.answers === 'DOCUMENT_UNUSABLE'
      ? { state: 'DOCUMENT_UNUSABLE' }
      : { state: 'OK', cert };
  }

  function prepare({ body, query }: FakeRequest): Json {
    const { documentNumber } = known(query['signer'] ?? query['documentNumber'] ?? '');
    const preparedId = randomUUID();
    const pdf = pdfIn(body);
    prepared.set(preparedId, pdf);
    return {
      preparedId,
      digest: sha256Base64(pdf),
      hashType: 'SHA256',
      documentNumber,
      certificateSerial: '01',
      warnings: [],
      expiresAt: new Date(Date.now() + 600_000).toISOString(),
    };
  }

  /** Appends a comment to the PDF whose digest was signed. */
  function stamp({ body, query }: FakeRequest, [sessionId = '']: readonly string[]): Uint8Array {
    const session = kept(sessionId);
    if (session.isRunning) throw new FakeProblem('SESSION_NOT_COMPLETE');
    const { preparedId } = query;
    const pdf = preparedId === undefined ? pdfIn(body) : prepared.get(preparedId);
    if (pdf === undefined) throw new FakeProblem('PREPARED_DOCUMENT_NOT_FOUND');
    if (!digestsIn(session.request).includes(sha256Base64(pdf)))
      throw new FakeProblem('DIGEST_MISMATCH');
    return Buffer.concat([pdf, Buffer.from('\n% Stamped by the fake platform\n')]);
  }

  /** @throws FakeProblem when the citizen's certificate or rights do not suffice */
  function refuseUnfit(citizen: FakeCitizen, request: Json): void {
    const wanted = textIn(request, 'certificateLevel') ?? 'QUALIFIED';
    const rank = (level: string) => certificateLevels.findIndex((each) => each === level);
    if (rank(citizen.level) < rank(wanted)) throw new FakeProblem('NO_SUITABLE_CERTIFICATE');
    const organization = textIn(request, 'onBehalfOf');
    if (organization !== null && organizations.representedBy(citizen, organization) === undefined) {
      throw new FakeProblem('REPRESENTATION_DENIED');
    }
  }

  function kept(sessionId: string): KeptSession {
    const found = sessions.find((each) => each.sessionId === sessionId);
    if (found === undefined || found.isForgotten(time.now)) {
      throw new FakeProblem('SESSION_NOT_FOUND');
    }
    return found;
  }

  function known(id: string): FakeCitizen {
    const found = citizens.find(id);
    if (found === undefined) throw new FakeProblem('PERSON_NOT_FOUND');
    return found;
  }

  return {
    sessions,
    answer: async (request, signal) => {
      const line = `${request.method} ${request.path}`;
      for (const [route, handler] of handlers) {
        const segments = route.exec(line)?.slice(1).map(decoded);
        if (segments !== undefined) return handler(request, segments, signal);
      }
      throw new FakeProblem('NOT_FOUND', {
        detail: `The fake platform does not know ${line}: give it an answer with answer().`,
      });
    },
    settle: () => {
      for (const session of sessions) session.settle(time.now);
    },
  };
}

/** Digests of a signature request of either generation. */
function digestsIn(request: Json): readonly (string | null)[] {
  const nested = request['signatureProtocolParameters'];
  const documents = documentsIn(request) ?? [isObject(nested) ? nested : request];
  return documents.map((document) => textIn(document, 'digest'));
}

/** @param segment undefined: a group that did not take part */
function decoded(segment: string | undefined): string {
  return segment === undefined ? '' : decodeURIComponent(segment);
}
