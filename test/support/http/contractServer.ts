import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';

// A relying-party API over real HTTP that answers as the wire contract says (§7 to §10), from a handful of organizations and
// people in memory. It can cut connections and be slow, which the service itself does not do on request.

/** A request as it arrived. */
export interface Arrived {
  readonly method: string;
  /** With its query, decoded. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** `CUT` breaks the connection instead of answering, `HANG` never answers. */
export type Scripted = Reply | 'CUT' | 'HANG';

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or bytes as they are. */
  readonly body: object | Buffer;
}

export interface ContractServer {
  readonly origin: string;
  readonly apiSecret: string;
  readonly arrived: readonly Arrived[];
  /** Answers the next requests, whatever they ask, instead of the contract. */
  script(...replies: readonly Scripted[]): void;
  /** Of the key that seals: the uncompressed point. */
  readonly sealPublicKey: Uint8Array;
  stop(): Promise<void>;
}

const apiSecret = 'rp_sk_contract_server_secret';

interface Org {
  readonly name: string;
  readonly active: boolean;
  nameLatin: string;
  sealed: boolean;
  /** By lower-case registration number. */
  readonly signers: Map<
    string,
    { rightType: 'ADMIN' | 'MANAGER'; role: string; confirmed: boolean }
  >;
}

/** Civil id by lower-case registration number of everybody enrolled. */
const people: Readonly<Record<string, string>> = {
  уб90010112: '110000000001',
  уб91020223: '110000000002',
};
const regNoOf = (etsi: string) =>
  Object.entries(people).find(([, civilId]) => etsi === `PNOMN-${civilId}`)?.[0] ?? null;

class Problem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, text: string) {
    super(text);
    this.status = status;
    this.code = code;
  }
}

export async function startContractServer(): Promise<ContractServer> {
  const arrived: Arrived[] = [];
  const scripted: Scripted[] = [];
  const sealKey = p256.utils.randomSecretKey();
  const organizations = new Map<string, Org>([
    ['1234567', organization('Тамга ХХК', true)],
    ['7654321', organization('Унтаа ХХК', false)],
  ]);
  organizations.get('1234567')?.signers.set('уб90010112', {
    rightType: 'ADMIN',
    role: 'CEO',
    confirmed: true,
  });

  const known = (register: string) => {
    const org = organizations.get(register.replace(/^NTRMN-/, ''));
    if (org === undefined) throw new Problem(404, 'ORG_NOT_FOUND', 'Unknown organization.');
    return org;
  };

  const representations = (etsi: string) => ({
    personEtsi: etsi,
    representations: [...organizations].flatMap(
      ([register, { name, nameLatin, signers, active }]) => {
        const right = signers.get(regNoOf(etsi) ?? '');
        if (right?.confirmed !== true || !active) return [];
        const { role, rightType } = right;
        return [
          {
            orgEtsi: `NTRMN-${register}`,
            orgRegister: register,
            orgName: name,
            orgNameEn: nameLatin,
            role,
            rightType,
            source: 'REGISTRY',
            validFrom: '2026-01-01T00:00:00Z',
            validTo: null,
          },
        ];
      },
    ),
  });

  const signersOf = (register: string, acting: string, asked?: string) => ({
    orgRegister: register,
    signers: [...known(register).signers].map(([regNo, { rightType, role, confirmed }]) => ({
      personEtsi: `PNOMN-${String(people[regNo])}`,
      regNo,
      name: 'Болд',
      nameEn: 'BOLD',
      role,
      rightType,
      status: confirmed ? 'ACTIVE' : 'PENDING',
      source: 'MANUAL',
      self: regNo === regNoOf(acting),
    })),
    ...(asked === undefined
      ? {}
      : {
          pendingConfirmation: {
            orgRegister: register,
            orgName: known(register).name,
            signerEtsi: `PNOMN-${String(people[asked])}`,
            signerRegNo: asked,
            sessionId: 'session-of-the-signer',
          },
        }),
  });

  const asAdmin = (register: string, acting: string) => {
    const org = known(register);
    if (org.signers.get(regNoOf(acting) ?? '')?.rightType !== 'ADMIN') {
      throw new Problem(403, 'PERMISSION_DENIED', 'Not an administrator of the organization.');
    }
    return org;
  };

  function seal(register: string, digest: Buffer) {
    const org = known(register);
    if (!org.active) throw new Problem(409, 'ORG_NOT_ACTIVE', 'The organization is not active.');
    const hash = ({ 32: 'SHA256', 48: 'SHA384', 64: 'SHA512' } as Record<number, string>)[
      digest.length
    ];
    if (hash === undefined) throw new Problem(400, 'INVALID_REQUEST', 'digest: wrong length.');
    const signature = p256.sign(digest, sealKey, { prehash: false, format: 'der' });
    return {
      signature: {
        value: Buffer.from(signature).toString('base64'),
        signatureAlgorithm: `ecdsa-with-${hash}`,
      },
      cert: { value: 'c2VhbA==', certificateLevel: 'QUALIFIED' },
      sealedAt: '2026-01-01T00:00:00Z',
    };
  }

  const certificate = (register: string) => {
    const org = known(register);
    if (!org.sealed) throw new Problem(404, 'NOT_FOUND', 'There is no certificate.');
    return {
      serialNumber: '0abc',
      subjectDn: `CN=${org.name}`,
      certificateLevel: 'QUALIFIED',
      notBefore: '2026-01-01T00:00:00Z',
      notAfter: '2029-01-01T00:00:00Z',
      cert: { value: 'c2VhbA==', certificateLevel: 'QUALIFIED' },
    };
  };

  const counts = { valid: 2, revoked: 1, expired: 0, suspended: 0, total: 3 };
  const activity = { authentication: 4, signature: 1 };

  const routes: readonly (readonly [
    string,
    RegExp,
    (matched: readonly string[], request: Arrived, query: URLSearchParams) => object | Buffer,
  ])[] = [
    [
      'GET',
      /^\/organization\/representations\/etsi\/([^/]+)$/,
      ([etsi = '']) => representations(etsi),
    ],
    [
      'POST',
      /^\/organization\/representations\/etsi\/([^/]+)$/,
      ([etsi = ''], { body }) => {
        const link = JSON.parse(body.toString()) as {
          orgRegister: string;
          orgName: string;
          affiliates: { regNo: string; role?: string }[];
        };
        const own = regNoOf(etsi);
        const affiliate = link.affiliates.find(({ regNo }) => regNo.toLowerCase() === own);
        if (affiliate === undefined) throw new Problem(403, 'PERMISSION_DENIED', 'Not affiliated.');
        const org = organizations.get(link.orgRegister) ?? organization(link.orgName, true);
        organizations.set(link.orgRegister, org);
        const role = affiliate.role ?? '';
        org.signers.set(own ?? '', { rightType: 'ADMIN', role, confirmed: true });
        return representations(etsi);
      },
    ],
    [
      'DELETE',
      /^\/organization\/representations\/etsi\/([^/]+)\/([^/]+)$/,
      ([etsi = '', register = '']) => {
        known(register).signers.delete(regNoOf(etsi) ?? '');
        return representations(etsi);
      },
    ],
    [
      'GET',
      /^\/organization\/signers\/([^/]+)\/etsi\/([^/]+)$/,
      ([register = '', acting = '']) => {
        asAdmin(register, acting);
        return signersOf(register, acting);
      },
    ],
    [
      'POST',
      /^\/organization\/signers\/([^/]+)\/etsi\/([^/]+)$/,
      ([register = '', acting = ''], { body }) => {
        const org = asAdmin(register, acting);
        const { signerRegNo, role = '' } = JSON.parse(body.toString()) as {
          signerRegNo: string;
          role?: string;
        };
        const regNo = signerRegNo.toLowerCase();
        if (people[regNo] === undefined) {
          throw new Problem(404, 'SIGNER_NOT_ENROLLED', 'The signer has no eID.');
        }
        org.signers.set(regNo, { rightType: 'MANAGER', role, confirmed: false });
        return signersOf(register, acting, regNo);
      },
    ],
    [
      'DELETE',
      /^\/organization\/signers\/([^/]+)\/etsi\/([^/]+)$/,
      ([register = '', acting = ''], _, query) => {
        asAdmin(register, acting).signers.delete((query.get('signer') ?? '').toLowerCase());
        return signersOf(register, acting);
      },
    ],
    [
      'POST',
      /^\/organization\/signers\/([^/]+)\/etsi\/([^/]+)\/resend$/,
      ([register = '', acting = ''], _, query) => {
        asAdmin(register, acting);
        return signersOf(register, acting, (query.get('signer') ?? '').toLowerCase());
      },
    ],
    [
      'PUT',
      /^\/organization\/name-latin\/([^/]+)\/etsi\/([^/]+)$/,
      ([register = '', acting = ''], { body }) => {
        const { nameLatin } = JSON.parse(body.toString()) as { nameLatin: string };
        asAdmin(register, acting).nameLatin = nameLatin.toUpperCase();
        return representations(acting);
      },
    ],
    ['GET', /^\/seal\/certificate\/([^/]+)$/, ([etsi = '']) => certificate(etsi)],
    [
      'POST',
      /^\/seal\/certificate\/([^/]+)$/,
      ([etsi = '']) => {
        known(etsi).sealed = true;
        return certificate(etsi);
      },
    ],
    [
      'POST',
      /^\/seal\/([^/]+)$/,
      ([etsi = ''], { body }) => {
        const { digest } = JSON.parse(body.toString()) as { digest: string };
        return seal(etsi, Buffer.from(digest, 'base64'));
      },
    ],
    [
      'GET',
      /^\/person\/summary\/etsi\/([^/]+)$/,
      ([etsi = '']) => {
        enrolled(etsi);
        return {
          givenName: 'Болд',
          surname: 'Дорж',
          certificates: counts,
          activity,
          devicesActive: 1,
          devicesTotal: 2,
          representationCount: 1,
        };
      },
    ],
    [
      'GET',
      /^\/certificates\/etsi\/([^/]+)$/,
      ([etsi = '']) => ({
        personEtsi: enrolled(etsi),
        counts,
        certificates: [
          {
            documentNumber: 'd1',
            type: 'SIGN',
            serialNumber: '0f',
            status: 'REVOKED',
            certificateLevel: 'QUALIFIED',
            issuerDn: 'CN=Personal CA',
            notBefore: '2026-01-01T00:00:00Z',
            notAfter: '2029-01-01T00:00:00Z',
          },
        ],
      }),
    ],
    [
      'GET',
      /^\/devices\/etsi\/([^/]+)$/,
      ([etsi = '']) => ({
        personEtsi: enrolled(etsi),
        activeCount: 1,
        total: 1,
        devices: [
          {
            documentNumber: 'd1',
            platform: 'FCM',
            enrolledAt: '2026-01-01T00:00:00Z',
            active: true,
            deactivatedAt: null,
          },
        ],
      }),
    ],
    [
      'GET',
      /^\/rp\/activity\/etsi\/([^/]+)$/,
      ([etsi = '']) => ({
        personEtsi: enrolled(etsi),
        counts: activity,
        total: 5,
        sessions: [
          {
            sessionId: 's1',
            flow: 'SIGNATURE',
            outcome: 'OK',
            docText: 'Sign',
            timestamp: '2026-01-01T00:00:00Z',
          },
        ],
      }),
    ],
    [
      'POST',
      /^\/signature\/stamp\/([^/]+)$/,
      (_, { body }) => {
        if (!body.subarray(0, 5).equals(Buffer.from('%PDF-'))) {
          throw new Problem(422, 'DIGEST_MISMATCH', 'The document is not the signed one.');
        }
        const update = `\n% stamped ${createHash('sha256').update(body).digest('hex')}\n%%EOF\n`;
        return Buffer.concat([body, Buffer.from(update)]);
      },
    ],
  ];

  function answer(request: Arrived): Reply {
    if (request.headers.authorization !== `Bearer ${apiSecret}`) {
      throw new Problem(401, 'UNAUTHENTICATED', 'The API secret is wrong.');
    }
    const [path = '', query = ''] = request.path.replace(/^\/v3/, '').split('?');
    for (const [method, pattern, handle] of routes) {
      const matched = method === request.method ? pattern.exec(path) : null;
      if (matched === null) continue;
      return {
        body: handle(matched.slice(1).map(decodeURIComponent), request, new URLSearchParams(query)),
      };
    }
    throw new Problem(404, 'NOT_FOUND', 'There is nothing here.');
  }

  const server = createServer((incoming, response) => {
    void collect(incoming).then((body) => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, path: url, headers, body };
      arrived.push(request);
      reply(response, scripted.shift() ?? replyOf(request, answer));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiSecret,
    arrived,
    script: (...replies) => void scripted.push(...replies),
    sealPublicKey: p256.getPublicKey(sealKey, false),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function organization(name: string, active: boolean): Org {
  return { name, active, nameLatin: 'TAMGA', sealed: false, signers: new Map() };
}

function enrolled(etsi: string): string {
  if (regNoOf(etsi) === null) throw new Problem(404, 'PERSON_NOT_FOUND', 'Unknown person.');
  return etsi;
}

function replyOf(request: Arrived, answer: (request: Arrived) => Reply): Reply {
  try {
    return answer(request);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { status, code, message: text } = error;
    return { status, body: { type: 'about:blank', title: text, status, error: text, code } };
  }
}

function reply(response: ServerResponse, scripted: Scripted): void {
  if (scripted === 'CUT') response.socket?.destroy();
  if (typeof scripted === 'string') return;
  const { status = 200, headers = {}, body } = scripted;
  const type = Buffer.isBuffer(body) ? 'application/pdf' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
}

async function collect(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
