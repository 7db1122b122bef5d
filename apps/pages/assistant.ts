import { element, scriptsWork, textOf } from './dom.ts';
import { chatEvents, type ChatEvent } from './chatEvents.ts';
import { type Recording, recordWith } from './recorder.ts';
import { createSpeaker } from './speaker.ts';

// Asks the public chat, shows the answer while it is written, records push-to-talk questions and plays spoken answers.
// The conversation exists on the page only; received data is inserted as text, never as markup.

/** Turns sent along with a question, and characters of each (contract §12, chat). */
const REMEMBERED = 6;
const LONGEST = 1000;
/** Shortest part that is spoken alone, characters. */
const SHORTEST_PART = 80;

const TOO_MANY_REQUESTS = 429;

type Question = { readonly message: string } | { readonly audio: Recording };

/** A failure that has been put into the words of the page. */
class Told extends Error {}

const form = element<HTMLFormElement>('ask');
const log = element('log');
const input = element<HTMLTextAreaElement>('message');
const send = element<HTMLButtonElement>('send');
const talk = element<HTMLButtonElement>('talk');
const status = element('status');
const { lang } = document.documentElement;
const turns: { readonly role: 'user' | 'model'; readonly text: string }[] = [];
let busy = false;

const speaker = createSpeaker({
  ask: (text, signal) => post('/public/ai/tts', { text }, signal),
  player: new Audio(),
  lang,
  shortestPart: SHORTEST_PART,
});

function say(text: string): void {
  status.textContent = text;
}

function bubble(kind: 'user' | 'model', text: string): HTMLElement {
  const line = document.createElement('p');
  line.className = kind;
  line.textContent = text;
  log.append(line);
  log.scrollTop = log.scrollHeight;
  return line;
}

function post(path: string, body: object, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
}

function setBusy(isBusy: boolean): void {
  busy = isBusy;
  send.disabled = talk.disabled = isBusy;
}

async function ask(question: Question, asked: HTMLElement): Promise<void> {
  speaker.stop();
  setBusy(true);
  say(textOf(form, 'thinking'));
  const line = bubble('model', '');
  try {
    await receive(question, asked, line);
    if (line.textContent === '') line.textContent = textOf(form, 'unheard');
    else remember(asked, line);
    say('');
  } catch (error) {
    line.remove();
    say(error instanceof Told ? error.message : textOf(form, 'failed'));
  } finally {
    setBusy(false);
  }
}

/** @throws Told; Error when the connection or an event is broken */
async function receive(question: Question, asked: HTMLElement, line: HTMLElement): Promise<void> {
  const history = turns.slice(-REMEMBERED);
  const {
    ok,
    status: code,
    body,
  } = await post('/public/ai/chat/stream', {
    ...question,
    history,
    lang,
  });
  if (!ok || body === null) {
    throw new Told(textOf(form, code === TOO_MANY_REQUESTS ? 'limited' : 'failed'));
  }
  let isDone = false;
  for await (const event of chatEvents(body)) {
    show(event, asked, line);
    isDone ||= event.event === 'done';
    log.scrollTop = log.scrollHeight;
  }
  if (!isDone) throw new Told(textOf(form, 'failed'));
}

/** @throws Told when it is an error */
function show({ event, data }: ChatEvent, asked: HTMLElement, line: HTMLElement): void {
  switch (event) {
    case 'transcript':
      asked.textContent = data.text ?? '';
      break;
    case 'delta':
      line.textContent += data.text ?? '';
      break;
    case 'reset':
      line.textContent = '';
      break;
    case 'done':
      line.classList.toggle('degraded', data.degraded === true);
      break;
    case 'error':
      throw new Told(textOf(form, 'failed'));
    default:
    // Events added later are no part of the answer.
  }
}

function remember(asked: HTMLElement, line: HTMLElement): void {
  const clipped = ({ textContent }: HTMLElement) => textContent.slice(0, LONGEST);
  if (!line.classList.contains('degraded')) {
    turns.push({ role: 'user', text: clipped(asked) }, { role: 'model', text: clipped(line) });
  }
  offerSpeech(line);
}

function offerSpeech(line: HTMLElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = textOf(form, 'listen');
  let isSpeaking = false;
  const show = (speaking: boolean) => {
    isSpeaking = speaking;
    button.textContent = textOf(form, speaking ? 'hush' : 'listen');
  };
  button.addEventListener('click', () => {
    if (isSpeaking) {
      speaker.stop();
      return;
    }
    void speaker.speak(line.textContent, {
      began: () => {
        show(true);
      },
      ended: () => {
        show(false);
      },
      failed: () => {
        say(textOf(form, 'silent'));
      },
    });
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

// Browsers have neither in an insecure context.
if ('mediaDevices' in navigator && 'MediaRecorder' in window) {
  talk.hidden = false;
  recordWith(talk, {
    mayBegin: () => !busy,
    began: () => {
      speaker.stop();
      say(textOf(form, 'recording'));
    },
    heard: (audio) => void ask({ audio }, bubble('user', '…')),
    unheard: () => {
      say(textOf(form, 'unheard'));
    },
    refused: () => {
      say(textOf(form, 'muted'));
    },
  });
}

scriptsWork();
