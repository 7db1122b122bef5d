/** What plays sound: an `HTMLAudioElement`, as far as it is needed. */
export interface Player {
  src: string;
  play(): Promise<void>;
  pause(): void;
  addEventListener(
    type: 'ended' | 'error',
    listener: () => void,
    options: { signal: AbortSignal },
  ): void;
}

export interface SpeakerOptions {
  /** Asks the server to speak a text of 800 characters at most (contract §12, tts). */
  readonly ask: (text: string, signal: AbortSignal) => Promise<Response>;
  readonly player: Player;
  /** Of the texts: where their sentences end. */
  readonly lang: string;
  /** Characters below which a sentence goes together with the next: more for fewer calls, fewer for a sooner beginning. */
  readonly shortestPart: number;
}

export interface Speaking {
  readonly began: () => void;
  /** It is over, or was stopped. */
  readonly ended: () => void;
  /** It cannot be spoken; told before `ended`. */
  readonly failed: () => void;
}

export interface Speaker {
  /** Speaks a text in place of what was spoken before; resolves when it is over. */
  speak(text: string, speaking: Speaking): Promise<void>;
  stop(): void;
}

/**
 * Has answers spoken sentence by sentence, the next fetched while one is played. Short sentences go together, so that an
 * answer stays below the calls one may make a minute; where it does not, the rest is spoken after the wait the server asks for.
 *
 * It runs in browsers: the console bundles it, and the public page is sent its text (`widgetScript.ts`), so it needs nothing
 * from outside of its own braces.
 */
export function createSpeaker({ ask, player, lang, shortestPart }: SpeakerOptions): Speaker {
  const LONGEST_PART = 800;
  let stopping = new AbortController();

  /** Whole sentences as long as they are short, none longer than may be spoken at once. */
  function spokenParts(text: string): string[] {
    const segmenter = new Intl.Segmenter(lang, { granularity: 'sentence' });
    const sentences = Array.from(segmenter.segment(text.trim()), ({ segment }) => segment);
    const parts: string[] = [];
    for (const piece of sentences.flatMap(inPieces)) {
      const last = parts.at(-1);
      const isShort =
        last !== undefined &&
        last.length < shortestPart &&
        last.length + piece.length <= LONGEST_PART;
      if (isShort) parts[parts.length - 1] = last + piece;
      else parts.push(piece);
    }
    return parts.map((part) => part.trim()).filter((part) => part !== '');
  }

  /** A sentence without an end is cut between words, and a word without one between characters. */
  function inPieces(sentence: string): string[] {
    const pieces: string[] = [];
    let rest = Array.from(sentence);
    while (rest.length > LONGEST_PART) {
      const blank = rest.lastIndexOf(' ', LONGEST_PART - 1);
      const end = blank > 0 ? blank + 1 : LONGEST_PART;
      pieces.push(rest.slice(0, end).join(''));
      rest = rest.slice(end);
    }
    return [...pieces, rest.join('')];
  }

  async function fetchSpeech(text: string, signal: AbortSignal): Promise<Blob> {
    for (;;) {
      const response = await ask(text, signal);
      if (response.status === 429) {
        await pause(Number(response.headers.get('retry-after')) || 1, signal);
      } else if (!response.ok) throw new Error('It is not spoken.');
      else {
        const { data } = (await response.json()) as { data: { mime: string; data: string } };
        const bytes = Uint8Array.from(atob(data.data), (character) => character.charCodeAt(0));
        return new Blob([bytes], { type: data.mime });
      }
    }
  }

  function pause(seconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, seconds * 1000);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(new Error('It was stopped.'));
      });
    });
  }

  async function play(clip: Blob, signal: AbortSignal): Promise<void> {
    const address = URL.createObjectURL(clip);
    const over = new AbortController();
    try {
      await new Promise<void>((resolve, reject) => {
        signal.throwIfAborted();
        const options = { signal: over.signal };
        signal.addEventListener('abort', () => reject(new Error('It was stopped.')), options);
        player.addEventListener('ended', resolve, options);
        player.addEventListener('error', () => reject(new Error('It cannot be played.')), options);
        player.src = address;
        player.play().catch(reject);
      });
    } finally {
      over.abort();
      player.pause();
      URL.revokeObjectURL(address);
    }
  }

  async function speakParts([first = '', ...others]: readonly string[], signal: AbortSignal) {
    let next = fetchSpeech(first, signal);
    for (const part of [...others, null]) {
      const clip = await next;
      next = part === null ? Promise.resolve(clip) : fetchSpeech(part, signal);
      // Whether it came is asked when it is its turn.
      next.catch(() => undefined);
      await play(clip, signal);
    }
  }

  return {
    async speak(text, { began, ended, failed }) {
      stopping.abort();
      const own = new AbortController();
      stopping = own;
      began();
      try {
        await speakParts(spokenParts(text), own.signal);
      } catch {
        if (!own.signal.aborted) failed();
      } finally {
        own.abort();
        ended();
      }
    },
    stop: () => stopping.abort(),
  };
}
