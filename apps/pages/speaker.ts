// Runs in browsers: on the assistant's page and in the console.

/** Longest text of a request, characters (contract §12, tts). */
const LONGEST_PART = 800;

/** Audio player: the part of `HTMLAudioElement` in use. */
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
  /** Requests speech for a text of at most 800 characters (contract §12, tts). */
  readonly ask: (text: string, signal: AbortSignal) => Promise<Response>;
  readonly player: Player;
  /** Language of the texts, for sentence boundaries. */
  readonly lang: string;
  /**
   * Length below which a sentence is joined with the next, characters: higher for fewer requests,
   * lower for an earlier start.
   */
  readonly shortestPart: number;
}

export interface Speaking {
  readonly began: () => void;
  /** Called when playback has ended or was stopped. */
  readonly ended: () => void;
  /** Called before `ended` when speech synthesis failed. */
  readonly failed: () => void;
}

export interface Speaker {
  /** Speaks a text, replacing the previous one; resolves when it has ended. */
  speak(text: string, speaking: Speaking): Promise<void>;
  stop(): void;
}

/**
 * Speaks answers sentence by sentence, fetching the next one during playback. Short sentences are
 * joined to stay below the rate limit; where that fails, the rest is spoken after the server's
 * Retry-After.
 */
export function createSpeaker({ ask, player, lang, shortestPart }: SpeakerOptions): Speaker {
  let stopping = new AbortController();

  /** Splits a text into whole sentences, short ones joined, none above the request limit. */
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

  /** Splits a sentence above the limit between words, and a word above it between characters. */
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
      } else if (!response.ok) throw new Error(`Speech request failed: HTTP ${response.status}.`);
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
        reject(new Error('Playback was stopped.'));
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
        signal.addEventListener('abort', () => reject(new Error('Playback was stopped.')), options);
        player.addEventListener('ended', resolve, options);
        player.addEventListener(
          'error',
          () => reject(new Error('Audio playback failed.')),
          options,
        );
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
      // A failed prefetch is handled when its turn comes.
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
