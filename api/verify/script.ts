/**
 * Runs in the browser: hashes a file that is dropped or chosen and compares it with the digest on the page. Nothing of the
 * file leaves the browser; the page's policy allows no connection at all. A stamped copy keeps the signed bytes as a
 * prefix that ends with a PDF end marker, so such prefixes are compared too.
 */
export const script = `'use strict';
(() => {
  const box = document.getElementById('file');
  if (box === null) return;
  const input = box.querySelector('input');
  const output = box.querySelector('output');
  const { digest, hash } = box.dataset;
  const marker = [0x25, 0x25, 0x45, 0x4f, 0x46];
  const MOST_PREFIXES = 40;
  const latin1 = new TextDecoder('latin1');

  function say(outcome) {
    output.textContent = box.dataset[outcome];
    output.className = outcome;
  }

  async function isSigned(bytes) {
    const found = new Uint8Array(await crypto.subtle.digest(hash, bytes));
    const text = Array.from(found, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return text === digest;
  }

  function endsOfDocuments(bytes) {
    const ends = [];
    for (let at = bytes.indexOf(marker[0]); at >= 0; at = bytes.indexOf(marker[0], at + 1)) {
      if (!marker.every((byte, index) => bytes[at + index] === byte)) continue;
      const end = at + marker.length;
      ends.push(end);
      if (bytes[end] === 0x0a) ends.push(end + 1);
      if (bytes[end] === 0x0d) ends.push(end + 1);
      if (bytes[end] === 0x0d && bytes[end + 1] === 0x0a) ends.push(end + 2);
      // A stamp begins on a line of its own, behind whatever the document ended with.
      const stamp = latin1.decode(bytes.subarray(end, end + 1100)).search(/\\n\\d+ \\d+ obj\\n/);
      if (stamp >= 0) ends.push(end + stamp);
    }
    return ends.reverse().slice(0, MOST_PREFIXES);
  }

  async function compare(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (await isSigned(bytes)) return 'same';
    for (const end of endsOfDocuments(bytes)) {
      if (end < bytes.length && (await isSigned(bytes.subarray(0, end)))) return 'stamped';
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
  // Without it a file dropped beside the box would replace the page.
  for (const type of ['dragover', 'drop']) {
    document.addEventListener(type, (event) => event.preventDefault());
  }
  box.hidden = false;
  if (globalThis.crypto?.subtle === undefined) say('impossible');
})();
`;
