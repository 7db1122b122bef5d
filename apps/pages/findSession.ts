import { below, textOf } from './dom.ts';
import { hashOf, showDropBox } from './dropBox.ts';
import { handFile } from './handedFile.ts';

// Finds in a PDF which sessions it was signed in: the platform names its signature fields by them. The file never
// leaves the browser; the session's page is handed its digest within the browser.

const MOST_BYTES = 100_000_000;
/** Sessions that the service names at once (api/verify/startPage.ts). */
const MOST_SESSIONS = 10;
const SESSION = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Head of a PDF, before which readers let some bytes stand (ISO 32000-1, Annex H.3, note 13). */
const HEAD = '%PDF-';
const MOST_BEFORE_HEAD = 1024;
/** Name of a field in either spelling of a string (ISO 32000-1 §7.3.4), `Tamga ` in hexadecimal in the second. */
const FIELD = /\(Tamga ([0-9a-f-]{36})|<54616d676120([0-9a-f]{72})/gi;

/** Box of the start page. */
export function watchFinder(box: HTMLElement): void {
  const output = below<HTMLOutputElement>(box, 'output');

  function say(outcome: string): void {
    output.textContent = textOf(box, outcome);
    output.className = outcome;
  }

  async function find(file: File): Promise<void> {
    if (file.size > MOST_BYTES) {
      say('large');
      return;
    }
    say('working');
    const bytes = new Uint8Array(await file.arrayBuffer());
    const text = new TextDecoder('latin1').decode(bytes);
    const sessions = sessionsIn(text);
    const sha256 = 'subtle' in crypto ? await hashOf('SHA-256', bytes) : '';
    for (const id of sessions) handFile(id, { name: file.name, sha256 });
    if (!text.slice(0, MOST_BEFORE_HEAD).includes(HEAD)) say('foreign');
    else if (sessions.length === 0) say('none');
    else location.assign(addressOf(sessions));
  }

  showDropBox(box, (file) => {
    find(file).catch(() => {
      say('impossible');
    });
  });
}

/** Page of the only session, or the one that names each. */
function addressOf(sessions: readonly string[]): string {
  const { lang } = document.documentElement;
  return sessions.length === 1
    ? `/verify/${sessions.join('')}?lang=${lang}`
    : `/verify?lang=${lang}&of=${sessions.slice(0, MOST_SESSIONS).join('.')}`;
}

/** Sessions whose fields a PDF has, the last that was added first. */
function sessionsIn(text: string): readonly string[] {
  const found = Array.from(text.matchAll(FIELD), ([, id, hex = '']) => id ?? textOfHex(hex));
  return [...new Set(found.filter((id) => SESSION.test(id)).reverse())];
}

function textOfHex(hex: string): string {
  return hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}
