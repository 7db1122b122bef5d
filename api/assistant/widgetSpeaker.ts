/**
 * Runs in the browser, within `widgetScript.ts`: has an answer spoken sentence by sentence, the next fetched while one is
 * played. Short sentences go together, so that an answer stays below the calls one may make a minute; where it does not,
 * the rest is spoken after the wait the server asks for.
 */
export const widgetSpeaker = `
  /** What /public/ai/tts takes (contract §12), in characters. */
  const LONGEST_PART = 800;
  const SHORTEST_PART = 80;
  const player = new Audio();
  let stopSpeaking = () => {};

  /** Whole sentences as long as they are short, none longer than may be spoken at once. */
  function spokenParts(text) {
    const sentences = Array.from(new Intl.Segmenter(lang, { granularity: 'sentence' }).segment(text.trim()), ({ segment }) => segment);
    const parts = [];
    for (const piece of sentences.flatMap(inPieces)) {
      const last = parts.at(-1);
      const isShort = last !== undefined && last.length < SHORTEST_PART && last.length + piece.length <= LONGEST_PART;
      if (isShort) parts[parts.length - 1] = last + piece;
      else parts.push(piece);
    }
    return parts.map((part) => part.trim()).filter((part) => part !== '');
  }

  /** A sentence without an end is cut between words, and a word without one between characters. */
  function inPieces(sentence) {
    const pieces = [];
    let rest = Array.from(sentence);
    while (rest.length > LONGEST_PART) {
      const blank = rest.lastIndexOf(' ', LONGEST_PART - 1);
      const end = blank > 0 ? blank + 1 : LONGEST_PART;
      pieces.push(rest.slice(0, end).join(''));
      rest = rest.slice(end);
    }
    return [...pieces, rest.join('')];
  }

  async function fetchSpeech(text, signal) {
    for (;;) {
      const response = await post('/public/ai/tts', { text }, signal);
      if (response.status === 429) await pause(Number(response.headers.get('retry-after')) || 1, signal);
      else if (!response.ok) throw new Error(texts.silent);
      else {
        const { data } = await response.json();
        return new Blob([Uint8Array.from(atob(data.data), (character) => character.charCodeAt(0))], { type: data.mime });
      }
    }
  }

  function pause(seconds, signal) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, seconds * 1000);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  }

  function play(clip, signal) {
    const address = URL.createObjectURL(clip);
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => {
        player.pause();
        reject(signal.reason);
      });
      player.onended = resolve;
      player.onerror = () => reject(new Error(texts.silent));
      player.src = address;
      player.play().catch(reject);
    }).finally(() => URL.revokeObjectURL(address));
  }

  async function speak(text, { began, ended, failed }) {
    stopSpeaking();
    const stopping = new AbortController();
    const { signal } = stopping;
    stopSpeaking = () => stopping.abort();
    began();
    try {
      const [first, ...others] = spokenParts(text);
      let next = fetchSpeech(first, signal);
      for (const part of [...others, null]) {
        const clip = await next;
        next = part === null ? null : fetchSpeech(part, signal);
        // Whether it came is asked when it is its turn.
        if (next !== null) next.catch(() => {});
        await play(clip, signal);
      }
    } catch {
      if (!signal.aborted) failed();
    } finally {
      stopping.abort();
      ended();
    }
  }
`;
