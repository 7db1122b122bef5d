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
export function verificationPageSays(file: Buffer, known: KnownToPage): Promise<string> {
  return new Promise((resolve) => {
    const drop = openPage(known, { said: resolve });
    const files = [new Blob([Buffer.from(file)])];
    drop({ preventDefault: () => undefined, dataTransfer: { files } });
  });
}

/** Outcome that the script gives by itself once the page is open at the address that ends with `fragment`; null: none. */
export async function verificationPageSaysAtLoad(
  known: KnownToPage,
  fragment: string,
): Promise<string | null> {
  let outcome: string | null = null;
  openPage(known, {
    fragment,
    said: (given) => {
      outcome = given;
    },
  });
  // Lets the script's promises settle, none of which waits for anything here.
  await new Promise(setImmediate);
  return outcome;
}

/** Runs the script. @returns what drops a file */
function openPage(
  { made, ...known }: KnownToPage,
  { said, fragment = '' }: { readonly said: (outcome: string) => void; readonly fragment?: string },
): (event: object) => void {
  const listeners = new Map<string, (event: object) => void>();
  const output = {
    set className(outcome: string) {
      if (outcome !== 'working') said(outcome);
    },
  };
  const anything = { replaceChildren: () => undefined };
  const warning = { hidden: true, querySelector: () => anything };
  const elements: Readonly<Record<string, object>> = {
    input: { addEventListener: () => undefined },
    output,
    '.added': warning,
    '.chosen': {},
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
    addEventListener: (type: string, listener: (event: object) => void) => {
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
    location: { hash: fragment, pathname: '/verify/00000000-0000-4000-8000-000000000000' },
    sessionStorage: { getItem: () => null, removeItem: () => undefined },
    URL: { createObjectURL: () => '', revokeObjectURL: () => undefined },
    crypto,
    TextDecoder,
    Blob,
  });
  runInContext(assets.script.body.toString(), page);
  return (event) => listeners.get('drop')?.(event);
}
