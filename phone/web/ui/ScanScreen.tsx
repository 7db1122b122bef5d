import { type SubmitEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { PhoneModel } from '../core/model.ts';
import type { QrReader } from '../core/qr.ts';
import { Icon } from './icons.tsx';
import { fieldOf, Heading, messageOf, Problem } from './parts.tsx';
import { useTexts } from './preferences.tsx';

/** A QR code by camera, from a picture or the clipboard; or the link itself. */
export function ScanScreen({
  model,
  focusLink,
}: {
  readonly model: PhoneModel;
  /** Whether the citizen came to paste a link. */
  readonly focusLink: boolean;
}) {
  const say = useTexts();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  const open = useCallback(
    async (link: string): Promise<void> => {
      setBusy(true);
      setProblem(null);
      try {
        await model.open(link);
      } catch (error) {
        setProblem(messageOf(error, say));
        setBusy(false);
      }
    },
    [model, say],
  );
  const readPicture = useCallback(
    async (picture: Blob): Promise<void> => {
      setProblem(null);
      const link = await linkIn(picture);
      if (link === null) setProblem(say('noCodeInPicture'));
      else await open(link);
    },
    [open, say],
  );

  useEffect(() => {
    const onPaste = ({ clipboardData }: ClipboardEvent) => {
      const picture = [...(clipboardData?.files ?? [])].find(({ type }) => /^image\//.test(type));
      if (picture !== undefined) void readPicture(picture);
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, [readPicture]);

  return (
    <main className="scan" aria-busy={busy}>
      <Heading>{say(focusLink ? 'openLink' : 'scanTitle')}</Heading>
      {problem !== null && <Problem>{problem}</Problem>}
      {!focusLink && <CameraView onCode={(link) => void open(link)} paused={busy} />}
      <LinkForm busy={busy} focused={focusLink} onLink={(link) => void open(link)} />
      <label className="pick">
        <Icon name="picture" />
        <span>
          <b>{say('picture')}</b>
          <small>{say('pictureHint')}</small>
        </span>
        <input
          type="file"
          accept="image/*"
          disabled={busy}
          onChange={({ target }) => {
            const [picture] = target.files ?? [];
            if (picture !== undefined) void readPicture(picture);
            target.value = '';
          }}
        />
      </label>
    </main>
  );
}

function LinkForm({
  busy,
  focused,
  onLink,
}: {
  readonly busy: boolean;
  readonly focused: boolean;
  readonly onLink: (link: string) => void;
}) {
  const say = useTexts();
  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    const link = fieldOf(event.currentTarget, 'link');
    if (link !== '') onLink(link);
  }
  return (
    <form className="link" onSubmit={submit}>
      <label>
        <span>{say('linkLabel')}</span>
        <input name="link" type="text" autoComplete="off" spellCheck={false} autoFocus={focused} />
      </label>
      <button type="submit" className="second" disabled={busy}>
        {say('linkOpen')}
      </button>
    </form>
  );
}

/** How often the camera's picture is looked at, ms. */
const LOOK = 200;

type CameraState = 'off' | 'on' | 'denied';

function CameraView({
  onCode,
  paused,
}: {
  readonly onCode: (text: string) => void;
  readonly paused: boolean;
}) {
  const say = useTexts();
  const video = useRef<HTMLVideoElement>(null);
  const [state, setState] = useState<CameraState>('off');

  useEffect(() => {
    if (state !== 'on') return undefined;
    let stopped = false;
    let stream: MediaStream | null = null;
    const run = async () => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
      const element = video.current;
      if (element === null || isStopped()) return;
      element.srcObject = stream;
      await element.play();
      const reader = await qrReader();
      while (!isStopped()) {
        const text = await reader.read(element);
        if (text !== null && !isStopped()) {
          onCode(text);
          setState('off');
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK));
      }
    };
    const isStopped = () => stopped;
    run().catch(() => {
      if (!isStopped()) setState('denied');
    });
    return () => {
      stopped = true;
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
  }, [state, onCode]);

  return (
    <section className="camera" aria-label={say('camera')}>
      {state === 'on' ? (
        <div className="frame">
          <video ref={video} muted playsInline aria-label={say('camera')} />
          <p>{say('cameraHint')}</p>
        </div>
      ) : (
        <div className="frame off">
          <Icon name="scan" size={64} />
        </div>
      )}
      {state === 'denied' && <p role="alert">{say('cameraDenied')}</p>}
      <button
        type="button"
        className="first wide"
        disabled={paused}
        onClick={() => setState(state === 'on' ? 'off' : 'on')}
      >
        <Icon name="camera" size={20} />
        {say(state === 'on' ? 'cameraStop' : 'cameraStart')}
      </button>
    </section>
  );
}

let reader: Promise<QrReader> | undefined;

/** Loaded when it is needed: the page is half the size without it. */
function qrReader(): Promise<QrReader> {
  reader ??= import('../core/qr.ts').then(({ createQrReader }) => createQrReader());
  return reader;
}

async function linkIn(picture: Blob): Promise<string | null> {
  const bitmap = await createImageBitmap(picture).catch(() => null);
  if (bitmap === null) return null;
  try {
    return await (await qrReader()).read(bitmap);
  } finally {
    bitmap.close();
  }
}
