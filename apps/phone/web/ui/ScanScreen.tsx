import { type SubmitEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { readFromCamera } from '../core/camera.ts';
import type { PhoneModel } from '../core/model.ts';
import type { QrReader } from '../core/qr.ts';
import { Icon } from './icons.tsx';
import { fieldOf, Heading, messageOf, Problem } from './parts.tsx';
import { useTexts } from './preferences.tsx';

/** Input of a link: a QR code by camera, from a picture or the clipboard, or text. */
export function ScanScreen({
  model,
  focusLink,
  onOpened,
}: {
  readonly model: PhoneModel;
  /** True when the citizen came to paste a link. */
  readonly focusLink: boolean;
  /** Called when a request was found. */
  readonly onOpened: () => void;
}) {
  const say = useTexts();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function open(link: string): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await model.open(link);
      onOpened();
    } catch (error) {
      setProblem(messageOf(error, say));
      setBusy(false);
    }
  }

  async function openPicture(picture: Blob): Promise<void> {
    setProblem(null);
    const link = await linkIn(picture);
    if (link === null) setProblem(say('noCodeInPicture'));
    else await open(link);
  }

  const onPaste = useEffectEvent(({ clipboardData }: ClipboardEvent) => {
    const picture = [...(clipboardData?.files ?? [])].find(({ type }) => /^image\//.test(type));
    if (picture !== undefined) void openPicture(picture);
  });
  useEffect(() => {
    const listener = (event: ClipboardEvent) => onPaste(event);
    document.addEventListener('paste', listener);
    return () => document.removeEventListener('paste', listener);
  }, []);

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
            if (picture !== undefined) void openPicture(picture);
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

  const onText = useEffectEvent((text: string | null) => {
    if (text === null) return;
    setState('off');
    onCode(text);
  });

  useEffect(() => {
    const element = video.current;
    if (state !== 'on' || element === null) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    qrReader()
      .then((reader) => readFromCamera(element, reader, signal))
      .then(onText, () => {
        if (!signal.aborted) setState('denied');
      });
    return () => leaving.abort();
  }, [state]);

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

/** Loads the reader on first use: it is half the size of the page. */
function qrReader(): Promise<QrReader> {
  reader ??= import('../core/qr.ts').then(({ createQrReader }) => createQrReader());
  return reader;
}

/** Reads a link from any picture the browser can decode. */
async function linkIn(picture: Blob): Promise<string | null> {
  const address = URL.createObjectURL(picture);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    return await (await qrReader()).read(image);
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(address);
  }
}
