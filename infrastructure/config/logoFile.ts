import { readFileSync, statSync } from 'node:fs';
import { Misconfigured } from '../../application/ports/faults.ts';
import type { Config } from './config.ts';

/** Size limit, bytes. */
const LARGEST = 64 * 1024;

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

/** Start of an SVG document: declaration and comments, then the element. */
const SVG = /^\uFEFF?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:(?!-->)[^])*-->\s*)*<svg[\s>]/;

/** Patterns of what is more than a picture, and their names in messages. */
const forbidden: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/<script\b/i, 'a script'],
  [/\son\w+\s*=/i, 'an event handler'],
  [/javascript:/i, 'a script'],
  [/<!(?:DOCTYPE|ENTITY)/i, 'a document type'],
  [/<foreignObject\b/i, 'a foreign object'],
  [/\bhref\s*=\s*["'](?!#)/i, 'a link to elsewhere'],
  [/@import|url\(\s*["']?(?!["']?#)/i, 'a reference to elsewhere'],
];

/**
 * Reads the operator's logo. @returns null when none is configured
 * @throws Misconfigured when it cannot be read, is too large, or is no plain picture
 */
export function readLogo({ SVC_BRAND_LOGO: path }: Pick<Config, 'SVC_BRAND_LOGO'>) {
  if (path === undefined) return null;
  const body = read(path);
  if (body.subarray(0, PNG.length).equals(PNG)) return { body, contentType: 'image/png' } as const;
  const text = body.toString('utf8');
  if (!SVG.test(text)) throw fault('the file it names is neither an SVG nor a PNG picture');
  if (!text.includes('http://www.w3.org/2000/svg')) {
    throw fault(
      'the SVG lacks xmlns="http://www.w3.org/2000/svg", without which browsers show nothing',
    );
  }
  const found = forbidden.find(([pattern]) => pattern.test(text));
  if (found !== undefined)
    throw fault(`the SVG contains ${found[1]}; only a plain picture is allowed`);
  return { body, contentType: 'image/svg+xml' } as const;
}

function read(path: string): Buffer {
  const body = attempt(() => (statSync(path).size > LARGEST ? null : readFileSync(path)));
  if (body === null) throw fault(`the file it names is larger than ${LARGEST} bytes`);
  return body;
}

function attempt<Result>(reading: () => Result): Result {
  try {
    return reading();
  } catch (cause) {
    throw fault('the file it names cannot be read', cause);
  }
}

function fault(text: string, cause?: unknown): Misconfigured {
  return new Misconfigured(`SVC_BRAND_LOGO: ${text}.`, { cause });
}
