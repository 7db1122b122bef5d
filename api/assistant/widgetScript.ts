import { createSpeaker } from './speaker.ts';
import { widgetRecorder } from './widgetRecorder.ts';

/**
 * Browser script: asks the public chat, shows the answer while it is written, records push-to-talk
 * questions and plays spoken answers. The conversation exists on the page only; received data is
 * inserted as text, never as markup.
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

  function post(path, body, signal) {
    return fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
  }

  const speaker = (${createSpeaker.toString()})({
    ask: (text, signal) => post('/public/ai/tts', { text }, signal),
    player: new Audio(),
    lang,
    shortestPart: 80,
  });
${widgetRecorder}
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
    speaker.stop();
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
    let isSpeaking = false;
    const show = (speaking) => {
      isSpeaking = speaking;
      button.textContent = speaking ? texts.hush : texts.listen;
    };
    button.addEventListener('click', () => {
      if (isSpeaking) speaker.stop();
      else void speaker.speak(line.textContent, { began: () => show(true), ended: () => show(false), failed: () => say(texts.silent) });
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
  recordWith(talk, {
    mayBegin: () => !busy,
    began: () => {
      speaker.stop();
      say(texts.recording);
    },
    heard: (audio) => void ask({ audio }, bubble('user', '…')),
    unheard: () => say(texts.unheard),
    refused: () => say(texts.muted),
  });
})();
`;
