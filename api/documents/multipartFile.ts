import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { Readable } from 'node:stream';
import { badFile, type IncomingFile } from '../../application/document/documentFiles.ts';
import type { RequestContext } from '../http/route.ts';
import { fileName } from '../rp/generations/common.ts';

/** Size limit of the form beside the file, bytes. */
const FORM_BYTES = 64 * 1024;

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;

/**
 * Passes the field `file` of a form (RFC 7578) to `take` while it arrives, unbuffered. Other fields
 * are skipped; a second file refuses the first, as one of them would be lost.
 *
 * @param maxBytes of the file
 * @throws Refusal INVALID_REQUEST: no form, no such field, no usable name, truncated, or announced
 * to be too large
 */
export function readFilePart<Result>(
  context: RequestContext,
  maxBytes: number,
  take: (file: IncomingFile) => Promise<Result>,
): Promise<Result> {
  const form = openForm(context);
  const tooLarge = badFile(`At most ${maxBytes} bytes.`);
  const most = maxBytes + FORM_BYTES;
  if (Number(context.headers['content-length'] ?? 0) > most) throw tooLarge;
  const body = context.openBody();
  const end = Promise.withResolvers<undefined>();
  // Rejects beside the promise returned, for the reader of the file.
  end.promise.catch(() => undefined);
  return new Promise((resolve, rejectWith) => {
    const reject = (error: Error) => {
      end.reject(error);
      rejectWith(error);
    };
    let part: BusboyFileStream | undefined;
    form.on('file', (...[field, stream, name, , type]) => {
      // Truncation is reported to the reader of the part; this listener prevents an uncaught error.
      stream.on('error', () => undefined);
      if (field !== 'file') {
        stream.resume();
        return;
      }
      if (part !== undefined) {
        stream.resume();
        const second = badFile(
          'The form has several files in the field `file`. Send one file at a time.',
        );
        part.destroy(second);
        reject(second);
        return;
      }
      part = stream;
      taken(stream, name, type).then(resolve, (error: unknown) => {
        stream.resume();
        reject(error instanceof Error ? error : new Error('Upload failed.'));
      });
    });
    for (const [event, what] of limitEvents) {
      form.on(event, () => {
        const beyond = badFile(
          `The form has more ${what}. Send only the file, in the field \`file\`.`,
        );
        part?.destroy(beyond);
        reject(beyond);
      });
    }
    form.on('error', (error) => {
      part?.destroy(error as Error);
      reject(badFile('The form is incomplete or malformed.'));
    });
    form.on('finish', () => {
      end.resolve(undefined);
      if (part === undefined) reject(badFile('Send the file in the field `file`.'));
    });
    whenCutOff(body, (error) => {
      part?.destroy(error);
      reject(badFile('The form is incomplete.'));
    });
    // Bounds the other fields, too.
    let received = 0;
    body.on('data', (piece: Buffer) => {
      received += piece.length;
      if (received <= most) return;
      part?.destroy(tooLarge);
      reject(tooLarge);
    });
    body.pipe(form);
  });

  async function taken(source: BusboyFileStream, name: string, type: string): Promise<Result> {
    const contentType = MEDIA_TYPE.test(type.toLowerCase()) ? type.toLowerCase() : null;
    return take({ fileName: nameOf(name), contentType, source: whole(source, end.promise) });
  }
}

const formLimits = { files: 4, fields: 16, parts: 20 } as const;

const limitEvents = [
  ['filesLimit', `than ${formLimits.files} files`],
  ['fieldsLimit', `than ${formLimits.fields} fields`],
  ['partsLimit', `than ${formLimits.parts} parts`],
] as const;

/** Three characters of a name that browsers escape (HTML, multipart/form-data encoding algorithm), and no other. */
const escapes: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' };

/** @throws Refusal INVALID_REQUEST: the field `fileName` of that file, with the reason */
function nameOf(sent: string): string {
  const name = sent.replaceAll(/%22|%0D|%0A/g, (escape) => escapes[escape] ?? escape);
  if (name === '') throw badFile('The file has no name. Send `filename` in its part of the form.');
  if (/^\.+$/.test(name))
    throw badFile(`The name of the file is "${name}". Give it a name with letters.`);
  const named = fileName.safeParse(name);
  if (named.success && named.data !== null) return named.data;
  const [issue] = named.error?.issues ?? [];
  throw badFile(`The name of the file: ${issue?.message ?? 'Is required.'}`);
}

function openForm({ headers }: RequestContext): InstanceType<typeof Busboy> {
  const { 'content-type': type = '' } = headers;
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': type },
      // A path in the name is refused, not shortened.
      preservePath: true,
      isPartAFile: (_field, _type, name) => name !== undefined,
      limits: { ...formLimits, fieldSize: 4096, headerPairs: 64, headerSize: 16_384 },
    });
  } catch {
    throw badFile('Send multipart/form-data with the file in the field `file`.');
  }
}

function whenCutOff(body: Readable, then: (error: Error) => void): void {
  const cutOff = () => then(new Error('The caller disconnected.'));
  body.once('error', cutOff);
  body.once('close', () => {
    if (!body.readableEnded) cutOff();
  });
}

/**
 * Ends with the form, not with the file: nothing is stored of a form that is refused for the rest of it.
 *
 * @throws Refusal when the form ends within the file, or is refused
 */
async function* whole(
  source: BusboyFileStream,
  end: Promise<undefined>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source as AsyncIterable<Uint8Array>;
  } catch {
    await end;
    throw badFile('The form is incomplete.');
  }
  await end;
}
