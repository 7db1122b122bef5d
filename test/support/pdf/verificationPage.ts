import { createContext, runInContext } from 'node:vm';
import { assets } from '../../../api/verify/assets.ts';

/** Data of a session in the verification page. */
export interface KnownToPage {
  readonly hash: string;
  /** Lower-case hexadecimal. */
  readonly digest: string;
  readonly made: readonly string[];
  readonly whole: string;
  readonly otherwise: string;
}

/** Outcome that the script of the verification page gives for a dropped file, in a page made of nothing else. */
export function verificationPageSays(
  file: Buffer,
  { made, ...known }: KnownToPage,
): Promise<string> {
  return new Promise((resolve) => {
    const listeners = new Map<string, (event: unknown) => void>();
    const output = {
      set className(outcome: string) {
        if (outcome !== 'working') resolve(outcome);
      },
    };
    const anything = { replaceChildren: () => undefined };
    const warning = { hidden: true, querySelector: () => anything };
    const elements: Readonly<Record<string, object>> = {
      input: { addEventListener: () => undefined },
      output,
      '.added': warning,
    };
    const box = {
      // Texts of the page are empty.
      dataset: new Proxy<Record<string, string>>(
        { ...known, made: made.join(' ') },
        {
          get: (texts, key) => texts[String(key)] ?? '',
        },
      ),
      classList: { add: () => undefined, remove: () => undefined },
      querySelector: (selector: string) => elements[selector],
      addEventListener: (type: string, listener: (event: unknown) => void) => {
        listeners.set(type, listener);
      },
    };
    const page = createContext({
      document: {
        getElementById: (id: string) => (id === 'file' ? box : null),
        querySelector: () => null,
        createElement: () => ({}),
        addEventListener: () => undefined,
      },
      URL: { createObjectURL: () => '', revokeObjectURL: () => undefined },
      crypto,
      TextDecoder,
      Blob,
    });
    runInContext(assets.script.body.toString(), page);
    const files = [new Blob([Buffer.from(file)])];
    listeners.get('drop')?.({ preventDefault: () => undefined, dataTransfer: { files } });
  });
}
