import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { runInteractivePhone } from '../../../apps/phone/interactive.ts';
import { eventually } from '../assertions/eventually.ts';

/** The interactive phone, typed at and read like a terminal. */
export function openTerminal(options: { readonly baseUrl: string; readonly directory: string }) {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  output.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    type: (line: string) => input.write(`${line}\n`),
    /** Waits until it has shown this. */
    shows: (expected: string | RegExp) =>
      eventually(() => {
        expect(text).to.match(expected instanceof RegExp ? expected : new RegExp(expected));
      }),
    /** Discards the output so far. */
    forget: () => (text = ''),
    finished: runInteractivePhone({ ...options, input, output }),
  };
}
