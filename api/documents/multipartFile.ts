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
 * are skipped.
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
  return new Promise((resolve, reject) => {
    let part: BusboyFileStream | undefined;
    form.on('file', (...[field, stream, name, , type]) => {
      // Truncation is reported to the reader of the part; this listener prevents an uncaught error.
      stream.on('error', () => undefined);
      if (field !== 'file' || part !== undefined) {
        stream.resume();
        return;
      }
      part = stream;
      taken(stream, name, type).then(resolve, (error: unknown) => {
        stream.resume();
        reject(error instanceof Error ? error : new Error('Upload failed.'));
      });
    });
    form.on('error', (error) => {
      part?.destroy(error as Error);
      reject(badFile('The form is cut off or malformed.'));
    });
    form.on('finish', () => {
      if (part === undefined) reject(badFile('Send the file in the field `file`.'));
    });
    whenCutOff(body, (error) => {
      part?.destroy(error);
      reject(badFile('The form is cut off.'));
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
    const named = fileName.safeParse(name);
    const isName = named.success && named.data !== null && !/^\.*$/.test(named.data);
    if (!isName)
      throw badFile('Name the file, without a path, unseen characters or words of mixed letters.');
    const contentType = MEDIA_TYPE.test(type.toLowerCase()) ? type.toLowerCase() : null;
    return take({ fileName: named.data ?? '', contentType, source: whole(source) });
  }
}

function openForm({ headers }: RequestContext): InstanceType<typeof Busboy> {
  const { 'content-type': type = '' } = headers;
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': type },
      // A path in the name is refused, not shortened.
      preservePath: true,
      isPartAFile: (_field, _type, name) => name !== undefined,
      limits: {
        files: 4,
        fields: 16,
        parts: 20,
        fieldSize: 4096,
        headerPairs: 64,
        headerSize: 16_384,
      },
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

/** @throws Refusal when the form ends within the file */
async function* whole(source: BusboyFileStream): AsyncGenerator<Uint8Array> {
  try {
    yield* source as AsyncIterable<Uint8Array>;
  } catch {
    throw badFile('The form is cut off.');
  }
}
