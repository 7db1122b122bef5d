/**
 * Runs in the browser: asks the public chat, shows the answer while it is written, records push-to-talk questions and has
 * answers spoken. The conversation is on the page alone and gone with it; whatever arrives becomes text, never markup.
 */
export const widgetScript = `'use strict';
(() => {
  const form = document.getElementById('ask');
  const log = document.getElementById('log');
  const input = document.getElementById('message');
  const send = document.getElementById('send');
  const talk = document.getElementById('talk');
  const status = document.getElementById('status');
  const texts = form.dataset;
  const lang = document.documentElement.lang;
  const REMEMBERED = 6;
  const LONGEST = 1000;
  const LONGEST_CLIP_MS = 15000;
  const LARGEST_CLIP = 256000;
  const LONGEST_SPEECH = 800;
  const turns = [];
  let busy = false;

  function say(text) {
    status.textContent = text;
  }

  function bubble(kind, text) {
    const line = document.createElement('p');
    line.className = kind;
    line.textContent = text;
    log.append(line);
    log.scrollTop = log.scrollHeight;
    return line;
  }

  function post(path, body) {
    return fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  async function* eventsOf(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      for (let end = rest.indexOf('\\n\\n'); end >= 0; end = rest.indexOf('\\n\\n')) {
        const lines = rest.slice(0, end).split('\\n');
        rest = rest.slice(end + 2);
        const field = (name) => (lines.find((line) => line.startsWith(name + ': ')) || '').slice(name.length + 2);
        yield { event: field('event'), data: JSON.parse(field('data') || '{}') };
      }
    }
  }

  async function ask(question, asked) {
    busy = true;
    send.disabled = talk.disabled = true;
    say(texts.thinking);
    const line = bubble('model', '');
    try {
      const history = turns.slice(-REMEMBERED);
      const response = await post('/public/ai/chat/stream', { ...question, history, lang });
      if (!response.ok || response.body === null) throw new Error(response.status === 429 ? texts.limited : texts.failed);
      let isDone = false;
      for await (const { event, data } of eventsOf(response.body)) {
        if (event === 'transcript') asked.textContent = data.text;
        if (event === 'delta') line.textContent += data.text;
        if (event === 'reset') line.textContent = '';
        if (event === 'error') throw new Error(texts.failed);
        if (event === 'done') {
          isDone = true;
          line.classList.toggle('degraded', data.degraded);
        }
        log.scrollTop = log.scrollHeight;
      }
      if (!isDone) throw new Error(texts.failed);
      if (line.textContent === '') line.textContent = texts.unheard;
      else {
        if (!line.classList.contains('degraded')) {
          turns.push({ role: 'user', text: asked.textContent.slice(0, LONGEST) }, { role: 'model', text: line.textContent.slice(0, LONGEST) });
        }
        offerSpeech(line);
      }
      say('');
    } catch (error) {
      line.remove();
      say(error instanceof TypeError ? texts.failed : error.message);
    } finally {
      busy = false;
      send.disabled = talk.disabled = false;
    }
  }

  function offerSpeech(line) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = texts.listen;
    button.addEventListener('click', async () => {
      button.disabled = true;
      try {
        const response = await post('/public/ai/tts', { text: line.textContent.slice(0, LONGEST_SPEECH) });
        if (!response.ok) throw new Error();
        const { data } = await response.json();
        const bytes = Uint8Array.from(atob(data.data), (character) => character.charCodeAt(0));
        const address = URL.createObjectURL(new Blob([bytes], { type: data.mime }));
        const audio = new Audio(address);
        audio.addEventListener('ended', () => URL.revokeObjectURL(address));
        await audio.play();
      } catch {
        say(texts.silent);
      }
      button.disabled = false;
    });
    line.after(button);
    log.scrollTop = log.scrollHeight;
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const message = input.value.trim();
    if (message === '' || busy) return;
    input.value = '';
    void ask({ message }, bubble('user', message));
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });

  if (!navigator.mediaDevices || !window.MediaRecorder) return;
  talk.hidden = false;
  let recorder = null;
  let isHeld = false;

  async function begin() {
    if (busy || isHeld) return;
    isHeld = true;
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const types = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg'];
      const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
      recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: 32000 });
      const pieces = [];
      recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data));
      recorder.addEventListener('stop', () => {
        stream.getTracks().forEach((track) => track.stop());
        void heard(new Blob(pieces), recorder.mimeType);
      });
      recorder.start();
      talk.classList.add('recording');
      talk.setAttribute('aria-pressed', 'true');
      say(texts.recording);
      setTimeout(end, LONGEST_CLIP_MS);
      if (!isHeld) end();
    } catch {
      isHeld = false;
      say(texts.muted);
    }
  }

  function end() {
    isHeld = false;
    talk.classList.remove('recording');
    talk.setAttribute('aria-pressed', 'false');
    if (recorder !== null && recorder.state === 'recording') recorder.stop();
  }

  async function heard(clip, mime) {
    const bytes = new Uint8Array(await clip.arrayBuffer());
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    const data = btoa(text);
    if (data === '' || data.length > LARGEST_CLIP) say(texts.unheard);
    else await ask({ audio: { mime, data } }, bubble('user', '…'));
  }

  talk.addEventListener('pointerdown', begin);
  talk.addEventListener('pointerup', end);
  talk.addEventListener('pointercancel', end);
  talk.addEventListener('pointerleave', end);
  talk.addEventListener('keydown', (event) => {
    if ((event.key === ' ' || event.key === 'Enter') && !event.repeat) {
      event.preventDefault();
      void (isHeld ? end() : begin());
    }
  });
})();
`;
