import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  HashAlgorithm,
  RequestedAlgorithm,
  SentRequest,
  SessionResult,
} from '../../client/index.ts';
import { nestedRequest } from './nestedSupport.ts';

/** Request of a relying party as the service parsed it. */
export interface Asked {
  readonly kind: 'auth' | 'sign';
  /** Challenge or digest, base64. */
  readonly input: string;
  /** Null in the first generation. */
  readonly request: SentRequest | null;
}

/** A service over HTTP that answers whatever it is told to. */
export interface HostileService {
  readonly baseUrl: string;
  /** The answer to every poll; flattened, put on the wire as the real service would. */
  answer: (asked: Asked) => SessionResult | object;
  stop(): Promise<void>;
}

export async function startHostileService(): Promise<HostileService> {
  const sessions = new Map<string, Asked>();
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, , area = '', id = ''] = new URL(request.url ?? '', 'http://x').pathname.split('/');
    response.setHeader('content-type', 'application/json');
    if (request.method === 'POST') {
      const sessionID = randomUUID();
      sessions.set(sessionID, understood(area, JSON.parse(Buffer.concat(chunks).toString())));
      const vc = { type: 'alphaNumeric4', value: '1234' };
      response.end(JSON.stringify({ sessionID, vc }));
      return;
    }
    const asked = sessions.get(id);
    if (asked === undefined) throw new Error('There is no such session.');
    const answer = service.answer(asked);
    response.end(JSON.stringify('endResult' in answer ? onTheWire(answer) : answer));
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const service: HostileService = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: () => ({}),
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return service;
}

interface Body {
  readonly rpChallenge?: string;
  readonly digest?: string;
  readonly relyingPartyName: string;
  readonly interactions: string;
  readonly initialCallbackUrl?: string;
  readonly signatureProtocolParameters?: {
    readonly rpChallenge?: string;
    readonly digest?: string;
    readonly signatureAlgorithm: RequestedAlgorithm;
    readonly signatureAlgorithmParameters: { readonly hashAlgorithm: HashAlgorithm };
  };
}

function understood(area: string, json: unknown): Asked {
  const body = json as Body;
  const kind = area === 'authentication' ? 'auth' : 'sign';
  const parameters = body.signatureProtocolParameters;
  const { rpChallenge, digest } = parameters ?? body;
  const input = rpChallenge ?? digest ?? '';
  if (parameters === undefined) return { kind, input, request: null };
  const request = nestedRequest(input, {
    signatureProtocol: kind === 'auth' ? 'ACSP_V2' : 'RAW_DIGEST_SIGNATURE',
    relyingPartyName: body.relyingPartyName,
    interactions: body.interactions,
    initialCallbackUrl: body.initialCallbackUrl ?? '',
    signatureAlgorithm: parameters.signatureAlgorithm,
    hashAlgorithm: parameters.signatureAlgorithmParameters.hashAlgorithm,
  });
  return { kind, input, request };
}

function onTheWire(result: SessionResult): object {
  const { signatureAlgorithmParameters: parameters } = result;
  const mask = parameters?.maskGenAlgorithm;
  return {
    state: result.state,
    result: { endResult: result.endResult, documentNumber: result.documentNumber },
    cert: { value: result.certificateDerB64, certificateLevel: result.certificateLevel },
    signature: {
      value: result.signatureValueB64,
      signatureAlgorithm: result.signatureAlgorithm,
      signatureAlgorithmParameters: parameters && {
        ...parameters,
        maskGenAlgorithm: mask && {
          algorithm: mask.algorithm,
          parameters: { hashAlgorithm: mask.hashAlgorithm },
        },
      },
      serverRandom: result.serverRandom,
      userChallenge: result.userChallenge,
      flowType: result.flowType,
    },
    signatureProtocol: result.signatureProtocol,
    interactionTypeUsed: result.interactionTypeUsed,
  };
}
