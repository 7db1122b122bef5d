import { demoCitizens } from '../../../main/cli/demo.ts';
import { accessToken, testIssuer } from './assistantWorld.ts';
import { type Given, given } from '../given/given.ts';
import type { DemoPhone } from '../installation/demoInstallation.ts';
import type { Settings } from '../installation/serviceProcess.ts';

/** An answer of the platform API. */
export interface DocumentAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** Of JSON; else empty. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Somebody who calls `/documents`. */
export interface DocumentCaller {
  /** The header. */
  readonly authorization: string;
  /** @param path below `/documents` */
  call(method: string, path: string, body?: unknown): Promise<DocumentAnswer>;
  upload(id: string, file: Uint8Array, options?: UploadOptions): Promise<DocumentAnswer>;
  /** Asks about a file. */
  recognise(id: string, file: Uint8Array): Promise<DocumentAnswer>;
  /** Makes a document. @param signers registration numbers, or null for whoever signs @returns its id */
  create(signers?: readonly (string | null)[], fields?: object): Promise<string>;
}

export interface UploadOptions {
  readonly name?: string;
  readonly type?: string;
  readonly field?: string;
}

/** Settings under which the tokens of {@link callerAt} are taken and limits are met by nobody. */
export const documentSettings: Settings = {
  SVC_AI_TOKEN_KEYS: `${testIssuer.issuer}=${testIssuer.key}`,
  SVC_AI_TOKEN_TENANTS: `${testIssuer.issuer}=*`,
  SVC_PLATFORM_ROLES:
    'reader=documents.read,clerk=documents.read+documents.manage,signer=documents.read+documents.sign',
  SVC_DOCUMENT_REQUESTS_PER_MINUTE: '1000000',
};

/** A caller whose token has these claims; an administrator unless they say otherwise. */
export async function callerAt(
  origin: string,
  claims: Readonly<Record<string, unknown>> = { IsAdmin: true },
  base = '/documents',
): Promise<DocumentCaller> {
  return documentCaller(origin, `Bearer ${await accessToken(claims)}`, base);
}

/** A caller that sends this header. */
export function documentCaller(
  origin: string,
  authorization: string,
  base = '/documents',
): DocumentCaller {
  async function send(path: string, init: RequestInit): Promise<DocumentAnswer> {
    const response = await fetch(`${origin}${base}${path}`, {
      ...init,
      headers: { authorization, ...(init.headers as Record<string, string> | undefined) },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const body = isJson ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : {};
    return { status: response.status, headers: response.headers, bytes, body };
  }

  function sendFile(
    path: string,
    file: Uint8Array,
    { name = 'contract.pdf', type = '', field = 'file' }: UploadOptions = {},
  ): Promise<DocumentAnswer> {
    const form = new FormData();
    form.append(field, new Blob([Buffer.from(file)], { type }), name);
    return send(path, { method: 'POST', body: form });
  }

  const call: DocumentCaller['call'] = (method, path, body) =>
    send(path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });

  return {
    authorization,
    call,
    recognise: (id, file) => sendFile(`/${id}/file/recognition`, file),
    upload: (id, file, options) => sendFile(`/${id}/file`, file, options),
    create: async (signers = [null], fields = {}) => {
      const named = signers.map((reg_number) => ({ reg_number }));
      const { status, body } = await call('POST', '', {
        title: 'Түрээсийн гэрээ',
        doc_type: 'CONTRACT',
        signers: named,
        ...fields,
      });
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      return String(body['id']);
    },
  };
}

/** A service with documents and two citizens who can sign them. */
export interface DocumentWorld extends Given<'first' | 'second'> {
  readonly admin: DocumentCaller;
  /** Asks the person to sign, who does. @returns the poll that says so */
  sign(id: string, phone: DemoPhone): Promise<DocumentAnswer>;
  start(id: string, phone: DemoPhone): Promise<DocumentAnswer>;
}

export async function startDocumentWorld(): Promise<DocumentWorld> {
  const [one, other] = demoCitizens;
  const world = await given({
    settings: documentSettings,
    phones: { first: one?.civilId ?? '', second: other?.civilId ?? '' },
  });
  const admin = await callerAt(world.origin);
  const start: DocumentWorld['start'] = (id, { citizen }) =>
    admin.call('POST', `/${id}/sign/eid/start`, { reg_number: citizen.civilId });
  return {
    ...world,
    admin,
    start,
    async sign(id, phone) {
      const { status, body } = await start(id, phone);
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      const session_id = String(body['session_id']);
      await phone.phone.confirm(await phone.phone.open(session_id), phone.pin2);
      return admin.call('POST', `/${id}/sign/eid/poll`, { session_id, timeout_ms: 20_000 });
    },
  };
}
