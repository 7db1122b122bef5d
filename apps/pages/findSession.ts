import { below, textOf } from './dom.ts';
import { hashOf, showDropBox } from './dropBox.ts';
import { handFile } from './handedFile.ts';

// Finds in a PDF which sessions it was signed in: the platform names its signature fields by them. The file never
// leaves the browser; the session's page is handed its digest within the browser.

const MOST_BYTES = 100_000_000;
const SESSION = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Name of a field in either spelling of a string (ISO 32000-1 §7.3.4), `Tamga ` in hexadecimal in the second. */
const FIELD = /\(Tamga ([0-9a-f-]{36})|<54616d676120([0-9a-f]{72})/gi;

/** Box of the start page. */
export function watchFinder(box: HTMLElement): void {
  const output = below<HTMLOutputElement>(box, 'output');
  const list = below<HTMLUListElement>(box, 'ul');
  const latin1 = new TextDecoder('latin1');

  function say(outcome: string): void {
    output.textContent = textOf(box, outcome);
    output.className = outcome;
  }

  function offer(sessions: readonly string[]): void {
    const entries = sessions.map((id) => {
      const link = document.createElement('a');
      link.href = addressOf(id);
      link.textContent = id;
      const entry = document.createElement('li');
      entry.append(link);
      return entry;
    });
    list.replaceChildren(...entries);
    list.hidden = entries.length === 0;
  }

  async function find(file: File): Promise<void> {
    offer([]);
    if (file.size > MOST_BYTES) {
      say('large');
      return;
    }
    say('working');
    const bytes = new Uint8Array(await file.arrayBuffer());
    const sessions = sessionsIn(latin1.decode(bytes));
    if ('subtle' in crypto) {
      const handed = { name: file.name, sha256: await hashOf('SHA-256', bytes) };
      for (const id of sessions) handFile(id, handed);
    }
    const [only, ...others] = sessions;
    if (only === undefined) say('none');
    else if (others.length === 0) location.assign(addressOf(only));
    else {
      say('several');
      offer(sessions);
    }
  }

  showDropBox(box, (file) => {
    find(file).catch(() => {
      say('impossible');
    });
  });
}

function addressOf(sessionId: string): string {
  return `/verify/${sessionId}?lang=${document.documentElement.lang}`;
}

/** Sessions whose fields a PDF has, the last that was added first. */
function sessionsIn(text: string): readonly string[] {
  const found = Array.from(text.matchAll(FIELD), ([, id, hex = '']) => id ?? textOfHex(hex));
  return [...new Set(found.filter((id) => SESSION.test(id)).reverse())];
}

function textOfHex(hex: string): string {
  return hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}
