import { designTokens } from '../pages/designTokens.ts';

/**
 * Style from 320 px up, light or dark by the system's setting, without external pictures or fonts.
 */
export const style = `${designTokens}* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  display: flex;
  flex-direction: column;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif;
}
header, main, footer { width: 100%; max-width: 28rem; margin: 0 auto; padding: 0 1rem; }
header { display: flex; align-items: center; justify-content: space-between; padding-top: 1rem; padding-bottom: 1rem; }
main { flex: 1; }
p { margin: 0.5rem 0 0; }
.brand { margin: 0; display: flex; align-items: center; gap: 0.5rem; font-weight: 700; color: var(--accent); font-size: 1.125rem; }
.mark { width: 1.25rem; height: 1.25rem; border: 0.25rem solid var(--accent); border-radius: 0.3rem; }
nav { font-size: 0.875rem; }
nav a, nav span { display: inline-block; padding: 0.25rem 0.375rem; }
nav span { color: var(--quiet); }
a { color: var(--accent); }
h1 { font-size: 1.375rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1rem; line-height: 1.4; margin: 0; }
.card {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  padding: 1.25rem;
  margin: 0 0 1rem;
}
.quiet { color: var(--quiet); font-size: 0.875rem; overflow-wrap: anywhere; }
.methods { display: flex; flex-direction: column; }
.methods > form { padding: 1rem 0; border-top: 1px solid var(--line); }
.methods > form:last-child { padding-bottom: 0; }
.methods { margin-top: 1rem; }
label { display: block; margin-top: 0.5rem; }
input[type='text'] {
  width: 100%;
  margin-top: 0.25rem;
  padding: 0.625rem 0.75rem;
  min-height: 2.75rem;
  font: inherit;
  color: inherit;
  background: var(--card);
  border: 1px solid var(--quiet);
  border-radius: 0.5rem;
}
input[type='radio'], input[type='checkbox'] { width: 1.25rem; height: 1.25rem; margin: 0.125rem 0 0; flex: none; accent-color: var(--accent); }
.pick { display: flex; gap: 0.75rem; align-items: flex-start; padding: 0.5rem 0; margin: 0; }
.pick > span { min-width: 0; overflow-wrap: anywhere; }
.pick small { display: block; color: var(--quiet); }
fieldset { border: 0; margin: 1rem 0 0; padding: 0; min-width: 0; }
legend { padding: 0; font-weight: 600; }
button, .button {
  display: block;
  width: 100%;
  min-height: 2.75rem;
  margin-top: 0.75rem;
  padding: 0.5rem 1rem;
  font: inherit;
  font-weight: 600;
  text-align: center;
  text-decoration: none;
  border-radius: 0.5rem;
  border: 1px solid var(--accent);
  color: var(--accent);
  background: var(--card);
  cursor: pointer;
}
button.primary, .button.primary { background: var(--accent); color: var(--on-accent); }
button.plain { border-color: transparent; font-weight: 400; text-decoration: underline; background: none; }
button:hover, .button:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.ask { text-align: center; margin-top: 1rem; padding: 1rem; background: var(--accent-back); border-radius: 0.5rem; }
.ask p { margin: 0; }
.code { display: block; font: 700 2.5rem/1.25 ui-monospace, 'DejaVu Sans Mono', monospace; letter-spacing: 0.2em; padding-left: 0.2em; }
img.qr { display: block; width: 100%; max-width: 16rem; aspect-ratio: 1; height: auto; margin: 0.75rem auto 0; background: #ffffff; border-radius: 0.5rem; }
ol.todo { margin: 1rem 0 0; padding-left: 1.5rem; }
ol.todo li { padding: 0.125rem 0; }
.left { font-size: 0.875rem; color: var(--quiet); }
progress { display: block; width: 100%; height: 0.5rem; margin-top: 0.25rem; accent-color: var(--accent); }
.status { display: flex; align-items: center; gap: 0.5rem; font-weight: 600; }
.dot { width: 0.75rem; height: 0.75rem; border-radius: 50%; background: var(--accent); flex: none; animation: beat 1.5s ease-in-out infinite; }
@keyframes beat { 50% { opacity: 0.25; } }
@media (prefers-reduced-motion: reduce) { .dot { animation: none; } }
ul.scopes { list-style: none; margin: 1rem 0 0; padding: 0; }
ul.scopes li { border-top: 1px solid var(--line); }
ul.told li { padding: 0.5rem 0; }
.tag { display: inline-block; margin-left: 0.375rem; font-size: 0.8125rem; padding: 0 0.5rem; border-radius: 1rem; border: 1px solid currentColor; color: var(--quiet); white-space: nowrap; }
.tag.sensitive { color: var(--sensitive); background: var(--sensitive-back); }
.message { border-left-width: 0.375rem; }
.message.good { border-left-color: var(--good); }
.message.good h1 { color: var(--good); }
.message.bad { border-left-color: var(--bad); }
.message.bad h1 { color: var(--bad); }
.message.open { border-left-color: var(--open); }
.message.open h1 { color: var(--open); }
dl { margin: 1rem 0 0; }
dl > div { padding: 0.25rem 0; border-top: 1px solid var(--line); }
dt { color: var(--quiet); font-size: 0.875rem; }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: 0.875rem/1.4 ui-monospace, 'DejaVu Sans Mono', monospace; }
footer { color: var(--quiet); font-size: 0.875rem; padding-bottom: 1.5rem; }
@media (pointer: coarse) and (max-width: 40rem) {
  .methods .app { order: -1; }
}
`;
