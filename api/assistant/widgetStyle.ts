import { style } from '../verify/style.ts';

/** Style of the verification pages, extended by a conversation. */
export const widgetStyle = `${style}
html, body { height: 100%; }
body { display: flex; flex-direction: column; }
body > header, body > main, body > footer { width: 100%; }
main { flex: 1; display: flex; flex-direction: column; min-height: 0; }
#log { flex: 1; overflow-y: auto; padding: 1rem 0; display: flex; flex-direction: column; gap: 0.75rem; }
#log p { margin: 0; padding: 0.6rem 0.9rem; border-radius: 0.9rem; max-width: 85%; white-space: pre-wrap; overflow-wrap: anywhere; }
#log .user { align-self: flex-end; background: var(--link); color: var(--page); border-bottom-right-radius: 0.2rem; }
#log .model { align-self: flex-start; background: var(--card); border: 1px solid var(--line); border-bottom-left-radius: 0.2rem; }
#log .degraded { border-color: var(--open); }
#log .model:empty::before { content: '…'; color: var(--quiet); }
#log button { align-self: flex-start; flex: none; margin-top: -0.25rem; padding: 0.1rem 0.6rem; min-height: 2rem; font-size: 0.875rem; }
form { display: flex; flex-wrap: wrap; gap: 0.5rem; padding: 0.5rem 0 1rem; }
form label { flex-basis: 100%; font-size: 0.875rem; color: var(--quiet); }
textarea {
  flex: 1 1 100%; min-width: 0; resize: none; padding: 0.6rem; border: 1px solid var(--quiet); border-radius: 0.5rem;
  background: var(--card); color: inherit; font: inherit;
}
button { border: 1px solid var(--link); border-radius: 0.5rem; background: var(--card); color: var(--link); font: inherit; padding: 0.5rem 0.9rem; min-height: 2.75rem; cursor: pointer; }
form button { flex: 1 1 8rem; }
button[type='submit'] { background: var(--link); color: var(--page); }
button:disabled { opacity: 0.6; cursor: default; }
button.recording { border-color: var(--bad); color: var(--bad); background: var(--bad-back); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
[hidden] { display: none !important; }
#status { flex-basis: 100%; min-height: 1.5rem; margin: 0; color: var(--quiet); font-size: 0.875rem; }
`;
