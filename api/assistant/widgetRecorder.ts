/**
 * Browser script, part of `widgetScript.ts`: records while a button is held, or between two presses
 * of a key or of a screen reader. Calls `heard` with `{ mime, data }`, base64, unless the recording
 * is empty or too large.
 */
export const widgetRecorder = `
  const LONGEST_CLIP_MS = 15000;
  const LARGEST_CLIP = 256000;

  function recordWith(button, { mayBegin, began, heard, unheard, refused }) {
    let recorder = null;
    let timer = 0;
    let isHeld = false;

    async function begin() {
      if (isHeld || recorder !== null || !mayBegin()) return;
      isHeld = true;
      let stream = null;
      try {
        stream = await navigator.mediaDevices.getUserMedia({ audio: true });
        // Released while the browser was still asking for permission.
        if (!isHeld) return silence(stream);
        const types = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg'];
        const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
        const now = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: 32000 });
        const pieces = [];
        now.addEventListener('dataavailable', ({ data }) => pieces.push(data));
        now.addEventListener('stop', () => {
          silence(stream);
          recorder = null;
          void give(new Blob(pieces), now.mimeType);
        });
        now.start();
        recorder = now;
        timer = setTimeout(end, LONGEST_CLIP_MS);
        show(true);
        began();
      } catch {
        if (stream !== null) silence(stream);
        isHeld = false;
        refused();
      }
    }

    function end() {
      isHeld = false;
      clearTimeout(timer);
      show(false);
      if (recorder !== null && recorder.state === 'recording') recorder.stop();
    }

    function silence(stream) {
      stream.getTracks().forEach((track) => track.stop());
    }

    function show(isRecording) {
      button.classList.toggle('recording', isRecording);
      button.setAttribute('aria-pressed', String(isRecording));
    }

    async function give(clip, mime) {
      const bytes = new Uint8Array(await clip.arrayBuffer());
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      const data = btoa(text);
      if (data === '' || data.length > LARGEST_CLIP) unheard();
      else heard({ mime, data });
    }

    const toggle = () => void (isHeld ? end() : begin());
    button.addEventListener('pointerdown', begin);
    for (const name of ['pointerup', 'pointercancel', 'pointerleave']) button.addEventListener(name, end);
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
`;
