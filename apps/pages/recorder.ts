const LONGEST_CLIP_MS = 15_000;
/** Longest recording sent, base64 characters. */
const LARGEST_CLIP = 256_000;
const BITS_PER_SECOND = 32_000;

/** A recorded question. */
export interface Recording {
  readonly mime: string;
  /** Base64. */
  readonly data: string;
}

export interface RecorderOptions {
  readonly mayBegin: () => boolean;
  readonly began: () => void;
  readonly heard: (recording: Recording) => void;
  /** Called when the recording is empty or too large. */
  readonly unheard: () => void;
  /** Called when the microphone cannot be used. */
  readonly refused: () => void;
}

/** Records while `button` is held, or between two presses of a key or of a screen reader. */
export function recordWith(
  button: HTMLButtonElement,
  { mayBegin, began, heard, unheard, refused }: RecorderOptions,
): void {
  let recorder: MediaRecorder | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isHeld = false;

  async function begin(): Promise<void> {
    if (isHeld || recorder !== null || !mayBegin()) return;
    isHeld = true;
    let stream: MediaStream | null = null;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      // Released while the browser was still asking for permission.
      if (hasBeenReleased()) {
        silence(stream);
        return;
      }
      recorder = started(stream);
      timer = setTimeout(end, LONGEST_CLIP_MS);
      show(true);
      began();
    } catch {
      if (stream !== null) silence(stream);
      isHeld = false;
      refused();
    }
  }

  const hasBeenReleased = () => !isHeld;

  function started(stream: MediaStream): MediaRecorder {
    const types = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg'];
    const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
    const now = new MediaRecorder(stream, {
      ...(mimeType !== undefined && { mimeType }),
      audioBitsPerSecond: BITS_PER_SECOND,
    });
    const pieces: Blob[] = [];
    now.addEventListener('dataavailable', ({ data }) => pieces.push(data));
    now.addEventListener('stop', () => {
      silence(stream);
      recorder = null;
      void give(new Blob(pieces), now.mimeType);
    });
    now.start();
    return now;
  }

  function end(): void {
    isHeld = false;
    clearTimeout(timer);
    show(false);
    if (recorder?.state === 'recording') recorder.stop();
  }

  function show(isRecording: boolean): void {
    button.classList.toggle('recording', isRecording);
    button.setAttribute('aria-pressed', String(isRecording));
  }

  async function give(clip: Blob, mime: string): Promise<void> {
    const bytes = new Uint8Array(await clip.arrayBuffer());
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    const data = btoa(text);
    if (data === '' || data.length > LARGEST_CLIP) unheard();
    else heard({ mime, data });
  }

  function toggle(): void {
    if (isHeld) end();
    else void begin();
  }

  button.addEventListener('pointerdown', () => void begin());
  for (const name of ['pointerup', 'pointercancel', 'pointerleave']) {
    button.addEventListener(name, end);
  }
  button.addEventListener('keydown', (event) => {
    if ((event.key !== ' ' && event.key !== 'Enter') || event.repeat) return;
    event.preventDefault();
    toggle();
  });
  // Activation by a screen reader has neither a pointer nor a key event.
  button.addEventListener('click', ({ detail }) => {
    if (detail === 0) toggle();
  });
}

function silence(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
