import { describeAddition, endsOfRevisions } from '../../client/fileRevisions.ts';
import { below, scriptsWork, textOf } from './dom.ts';
import { hashOf, showDropBox } from './dropBox.ts';
import { watchFinder } from './findSession.ts';
import { takeFile } from './handedFile.ts';
import { headlineOf } from './headline.ts';

// Hashes a dropped or chosen file and compares it with the digests on the page. The file never leaves the browser: the
// page's policy allows no connection, unless so many copies were made that the page asks for the digest of the file.
// Only a whole file is recognised: a file that only starts with a known one gets a warning that names the additions,
// since readers show the last revision of a PDF, whatever was signed.

const MOST_PREFIXES = 40;

const box = document.getElementById('file');
if (box !== null) watch(box);
const finder = document.getElementById('find');
if (finder !== null) watchFinder(finder);
scriptsWork();

function watch(box: HTMLElement): void {
  const output = below<HTMLOutputElement>(box, 'output');
  const warning = below<HTMLElement>(box, '.added');
  const made = new Set(textOf(box, 'made').split(' '));
  const latin1 = new TextDecoder('latin1');
  const headline = headlineOf(box);
  let signedPart: string | null = null;

  function say(name: string, outcome: string): void {
    output.textContent = textOf(box, outcome);
    show(name, outcome);
  }

  /** Says the outcome of a file that was not chosen on this page, by its name. */
  function sayOf(name: string, outcome: string): void {
    const named = document.createElement('bdi');
    named.textContent = name;
    output.replaceChildren(named, ` – ${textOf(box, outcome)}`);
    show(name, outcome);
  }

  function show(name: string, outcome: string): void {
    output.className = outcome;
    warning.hidden = outcome !== 'altered';
    headline(name, outcome);
  }

  /** Outcome for a whole file: the signed one, one the platform made; null: neither. */
  async function known(bytes: Uint8Array<ArrayBuffer>): Promise<string | null> {
    const hash = textOf(box, 'hash');
    const isSigned = hash !== '' && (await hashOf(hash, bytes)) === textOf(box, 'digest');
    if (isSigned) return textOf(box, 'whole');
    return (await isMade(await hashOf('SHA-256', bytes))) ? 'stamped' : null;
  }

  async function isMade(sha256: string): Promise<boolean> {
    return made.has(sha256) || (await isAmongOthers(sha256));
  }

  /** Says what the file is that was chosen on the start page. */
  async function checkHanded(): Promise<void> {
    const handed = takeFile(location.pathname.split('/').at(-1) ?? '');
    if (handed === null) return;
    sayOf(handed.name, 'working');
    sayOf(handed.name, await outcomeOf(handed.sha256).catch(() => 'impossible'));
  }

  /** Outcome for a file by its SHA-256; empty: the browser hashes nothing. */
  async function outcomeOf(sha256: string): Promise<string> {
    if (sha256 === '') return 'impossible';
    const isSigned = textOf(box, 'hash') === 'SHA-256' && sha256 === textOf(box, 'digest');
    if (isSigned) return textOf(box, 'whole');
    return (await isMade(sha256)) ? 'stamped' : 'again';
  }

  /** Asks for a digest that the page does not hold. */
  async function isAmongOthers(sha256: string): Promise<boolean> {
    const others = textOf(box, 'others');
    if (others === '') return false;
    const answer = await fetch(others + sha256);
    if (!answer.ok) throw new Error('It was not answered.');
    return ((await answer.json()) as { readonly made: boolean }).made;
  }

  function warn(bytes: Uint8Array<ArrayBuffer>, text: string, end: number): void {
    const { kinds, replaced } = describeAddition(text.slice(0, end), text.slice(end));
    const counted = (name: string, count: number) =>
      textOf(box, name).replace('{count}', String(count));
    const items = [
      ...(replaced > 0 ? [counted('replaced', replaced)] : []),
      ...kinds.map((kind) => textOf(box, kind)),
      counted('bytes', bytes.length - end),
    ];
    const lines = items.map((item) => {
      const line = document.createElement('li');
      line.textContent = item;
      return line;
    });
    below<HTMLElement>(warning, 'ul').replaceChildren(...lines);
    if (signedPart !== null) URL.revokeObjectURL(signedPart);
    const part = new Blob([bytes.subarray(0, end)], { type: 'application/octet-stream' });
    signedPart = URL.createObjectURL(part);
    below<HTMLAnchorElement>(warning, 'a').href = signedPart;
  }

  async function compare(file: File): Promise<string> {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const whole = await known(bytes);
    if (whole !== null) return whole;
    const text = latin1.decode(bytes);
    for (const end of endsOfRevisions(text, MOST_PREFIXES)) {
      if ((await known(bytes.subarray(0, end))) === null) continue;
      warn(bytes, text, end);
      return 'altered';
    }
    return textOf(box, 'otherwise');
  }

  async function check(file: File): Promise<void> {
    say(file.name, 'working');
    say(file.name, await compare(file).catch(() => 'impossible'));
  }

  showDropBox(box, (file) => void check(file));
  if (!('subtle' in crypto)) output.textContent = textOf(box, 'impossible');
  void checkHanded();
}
