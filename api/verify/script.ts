/**
 * Browser script: hashes a dropped or chosen file and compares it with the digests on the page. The
 * file never leaves the browser; the page's policy allows no connection. Only a whole file is
 * recognised: one that begins with a known file and goes on is a warning that names what was added,
 * since readers show the last revision of a PDF, whatever was signed.
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
    return made.has(await hashOf('SHA-256', bytes)) ? 'stamped' : null;
  }

  /** Ends of the revisions of a PDF, the longest first; of very many the outermost ones. */
  function endsOfDocuments(text) {
    const ends = new Set();
    for (const { index } of text.matchAll(/%%EOF/g)) {
      const end = index + 5;
      const line = /^(?:\\r\\n|\\r|\\n)/.exec(text.slice(end, end + 2));
      ends.add(end);
      if (line !== null) ends.add(end + 1).add(end + line[0].length);
      // What is added begins on a new line, after any end of the document.
      const added = text.slice(end, end + 1100).search(/\\n\\d+ \\d+ obj\\b/);
      if (added >= 0) ends.add(end + added).add(end + added + 1);
    }
    const sorted = [...ends].filter((end) => end < text.length).sort((a, b) => b - a);
    const half = MOST_PREFIXES / 2;
    return sorted.length > MOST_PREFIXES
      ? [...sorted.slice(0, half), ...sorted.slice(-half)]
      : sorted;
  }

  /** Names what was added: by what the bytes say, names in any spelling. */
  function describe(before, added) {
    const text = added.replace(/#([0-9A-Fa-f]{2})/g, (_, code) =>
      String.fromCharCode(parseInt(code, 16)),
    );
    const kinds = [
      ['pages', /\\/Type\\s*\\/Pages?\\b/],
      ['contents', /\\/Contents\\b|\\bBT\\b|\\/XObject\\b|\\/Font\\b/],
      ['annotations', /\\/Type\\s*\\/Annot\\b|\\/Subtype\\s*\\/(?!Widget)\\w+[^]{0,200}\\/Rect\\b/],
      ['fields', /\\/FT\\s*\\/(?:Tx|Btn|Ch)\\b|\\/AcroForm\\b/],
      ['signatures', /\\/FT\\s*\\/Sig\\b|\\/ByteRange\\b/],
      ['material', /\\/DSS\\b|\\/DocTimeStamp\\b/],
      ['scripts', /\\/JavaScript\\b|\\/JS\\b|\\/OpenAction\\b|\\/AA\\b|\\/Launch\\b/],
      ['layers', /\\/OCG\\b|\\/OCProperties\\b/],
      ['files', /\\/EmbeddedFile/],
      ['compressed', /\\/ObjStm\\b/],
    ];
    const found = kinds.filter(([, pattern]) => pattern.test(text)).map(([kind]) => kind);
    const numbers = (source) =>
      new Set(Array.from(source.matchAll(/(?:^|[\\r\\n])(\\d+) \\d+ obj\\b/g), ([, number]) => number));
    const earlier = numbers(before);
    const replaced = [...numbers(added)].filter((number) => earlier.has(number)).length;
    return { found: found.length > 0 ? found : ['other'], replaced };
  }

  function warn(bytes, text, end) {
    const { found, replaced } = describe(text.slice(0, end), text.slice(end));
    const list = warning.querySelector('ul');
    const items = found.map((kind) => box.dataset[kind]);
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
    for (const end of endsOfDocuments(text)) {
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
