import { describeAddition, endsOfRevisions } from '../../client/fileRevisions.ts';

/**
 * Browser script: hashes a dropped or chosen file and compares it with the digests on the page. The file never leaves
 * the browser: the page's policy allows no connection, unless so many copies were made that the page asks for the digest
 * of the file. Only a whole file is recognised: a file that only starts with a known one gets a warning that names the
 * additions, since readers show the last revision of a PDF, whatever was signed.
 */
export const script = `'use strict';
(() => {
  const box = document.getElementById('file');
  if (box === null) return;
  const input = box.querySelector('input');
  const output = box.querySelector('output');
  const warning = box.querySelector('.added');
  const { digest, hash } = box.dataset;
  const made = new Set(box.dataset.made.split(' '));
  const MOST_PREFIXES = 40;
  const latin1 = new TextDecoder('latin1');
  let signedPart = null;

  function say(outcome) {
    output.textContent = box.dataset[outcome];
    output.className = outcome;
    warning.hidden = outcome !== 'altered';
  }

  async function hashOf(name, bytes) {
    const found = new Uint8Array(await crypto.subtle.digest(name, bytes));
    return Array.from(found, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  /** 'same', 'stamped', or null. */
  async function known(bytes) {
    if ((await hashOf(hash, bytes)) === digest) return box.dataset.whole;
    const sha256 = await hashOf('SHA-256', bytes);
    return made.has(sha256) || (await isAmongOthers(sha256)) ? 'stamped' : null;
  }

  /** Asks for a digest that the page does not hold. */
  async function isAmongOthers(sha256) {
    if (box.dataset.others === '') return false;
    const answer = await fetch(box.dataset.others + sha256);
    if (!answer.ok) throw new Error('It was not answered.');
    return (await answer.json()).made;
  }

  ${endsOfRevisions.toString()}

  ${describeAddition.toString()}

  function warn(bytes, text, end) {
    const { kinds, replaced } = describeAddition(text.slice(0, end), text.slice(end));
    const list = warning.querySelector('ul');
    const items = kinds.map((kind) => box.dataset[kind]);
    items.push(box.dataset.bytes.replace('{count}', String(bytes.length - end)));
    if (replaced > 0) items.unshift(box.dataset.replaced.replace('{count}', String(replaced)));
    list.replaceChildren(
      ...items.map((item) => {
        const line = document.createElement('li');
        line.textContent = item;
        return line;
      }),
    );
    if (signedPart !== null) URL.revokeObjectURL(signedPart);
    signedPart = URL.createObjectURL(
      new Blob([bytes.subarray(0, end)], { type: 'application/octet-stream' }),
    );
    warning.querySelector('a').href = signedPart;
  }

  async function compare(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const whole = await known(bytes);
    if (whole !== null) return whole;
    const text = latin1.decode(bytes);
    for (const end of endsOfRevisions(text, MOST_PREFIXES)) {
      if ((await known(bytes.subarray(0, end))) === null) continue;
      warn(bytes, text, end);
      return 'altered';
    }
    return box.dataset.otherwise;
  }

  async function check(file) {
    if (file === undefined) return;
    say('working');
    try {
      say(await compare(file));
    } catch {
      say('impossible');
    }
  }

  input.addEventListener('change', () => void check(input.files[0]));
  box.addEventListener('dragover', (event) => {
    event.preventDefault();
    box.classList.add('over');
  });
  box.addEventListener('dragleave', () => box.classList.remove('over'));
  box.addEventListener('drop', (event) => {
    event.preventDefault();
    box.classList.remove('over');
    void check(event.dataTransfer.files[0]);
  });
  // Prevents a file dropped outside the box from replacing the page.
  for (const type of ['dragover', 'drop']) {
    document.addEventListener(type, (event) => event.preventDefault());
  }
  box.hidden = false;
  if (globalThis.crypto?.subtle === undefined) say('impossible');
})();
`;
