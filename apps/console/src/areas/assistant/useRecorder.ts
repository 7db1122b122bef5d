import { useCallback, useEffect, useRef, useState } from 'react';

/** Recording in the format of the assistant (contract §12). */
export interface Recording {
  readonly mime: string;
  /** Base64. */
  readonly data: string;
}

/** State of the recorder, including the reasons it is unavailable. */
export type RecorderState = 'idle' | 'recording' | 'refused' | 'unheard';

export interface Recorder {
  readonly state: RecorderState;
  /** Starts recording, at most 30 s; ignored while recording. */
  begin(): void;
  /** Stops and passes the recording to `onHeard`. */
  end(): void;
}

// Limit of the audio input (specification, Limits).
const LONGEST_CLIP_MS = 30_000;
const LARGEST_CLIP = 716_800;
const types = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg'];

/** True when the browser supports recording. */
export function canRecord(): boolean {
  return 'mediaDevices' in navigator && 'MediaRecorder' in window;
}

/**
 * Records from the microphone between `begin` and `end`. @param onHeard called with each valid
 * recording
 */
export function useRecorder(onHeard: (recording: Recording) => void): Recorder {
  const [state, setState] = useState<RecorderState>('idle');
  const current = useRef<{ isWanted: boolean; recorder: MediaRecorder | null } | null>(null);
  const heard = useRef(onHeard);
  useEffect(() => {
    heard.current = onHeard;
  }, [onHeard]);

  const end = useCallback(() => {
    const now = current.current;
    if (now === null) return;
    now.isWanted = false;
    if (now.recorder?.state === 'recording') now.recorder.stop();
  }, []);

  const begin = useCallback(() => {
    if (current.current !== null) return;
    const now = { isWanted: true, recorder: null as MediaRecorder | null };
    current.current = now;
    record(now, () => setState('recording'))
      .then((recording) => {
        setState(recording === 'nothing' ? 'unheard' : 'idle');
        if (typeof recording === 'object') heard.current(recording);
      })
      .catch(() => setState('refused'))
      .finally(() => (current.current = null));
  }, []);

  // Stops when the page is left.
  useEffect(() => end, [end]);
  return { state, begin, end };
}

interface Recordable {
  isWanted: boolean;
  recorder: MediaRecorder | null;
}

/**
 * @returns `unwanted` when released before permission was granted, `nothing` for an empty recording
 * @throws DOMException when the microphone is refused or missing
 */
async function record(
  now: Recordable,
  began: () => void,
): Promise<Recording | 'nothing' | 'unwanted'> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  try {
    if (!now.isWanted) return 'unwanted';
    const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
    const recorder = new MediaRecorder(stream, {
      ...(mimeType === undefined ? {} : { mimeType }),
      audioBitsPerSecond: 32_000,
    });
    const pieces: Blob[] = [];
    recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data));
    const stopped = new Promise((resolve) => recorder.addEventListener('stop', resolve));
    recorder.start();
    now.recorder = recorder;
    began();
    const timer = setTimeout(() => recorder.stop(), LONGEST_CLIP_MS);
    await stopped;
    clearTimeout(timer);
    const data = await base64Of(new Blob(pieces));
    return data === '' || data.length > LARGEST_CLIP
      ? 'nothing'
      : { mime: recorder.mimeType, data };
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

async function base64Of(clip: Blob): Promise<string> {
  let text = '';
  for (const byte of new Uint8Array(await clip.arrayBuffer())) text += String.fromCharCode(byte);
  return btoa(text);
}
