import { designTokens } from '../../api/pages/designTokens.ts';

/** Style of the site from 320 px up, without external pictures or fonts. */
export const style = `${designTokens}
:root { --code: var(--accent-back); }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 4.5rem; }
body {
  margin: 0;
  background: var(--card);
  color: var(--text);
  font: 1rem/1.6 system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif;
}
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 0.5rem; z-index: 3; background: var(--card); padding: 0.5rem; }
body > header {
  position: sticky; top: 0; z-index: 2;
  display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center;
  padding: 0.5rem 1rem;
  background: var(--page);
  border-bottom: 1px solid var(--line);
}
.brand { display: flex; align-items: center; gap: 0.5rem; font-weight: 700; text-decoration: none; margin-right: auto; min-height: 2.75rem; }
.brand img { width: 1.5rem; height: 1.5rem; }
.tools { display: flex; gap: 1rem; align-items: center; font-size: 0.9375rem; }
.tools a { display: inline-flex; min-height: 2.75rem; align-items: center; }
.search { position: relative; flex: 0 1 20rem; display: flex; }
.search input {
  width: 100%; min-height: 2.75rem; padding: 0.375rem 0.75rem;
  font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--quiet); border-radius: 0.5rem;
}
.results { margin: 0; padding: 0; list-style: none; }
.search .results {
  position: absolute; top: 100%; right: 0; width: min(30rem, calc(100vw - 2rem)); max-height: 70vh; overflow-y: auto;
  margin-top: 0.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem;
  box-shadow: 0 0.5rem 1.5rem rgb(0 0 0 / 25%);
}
.results li { border-top: 1px solid var(--line); }
.results li:first-child { border-top: 0; }
.results a, .results p { display: block; margin: 0; padding: 0.5rem 0.75rem; text-decoration: none; color: inherit; overflow-wrap: anywhere; }
.results a:hover, .results a:focus { background: var(--accent-back); }
.results strong { display: block; color: var(--accent); }
.results small { color: var(--quiet); }
.frame { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 2.5rem; max-width: 84rem; margin: 0 auto; padding: 0 1rem; }
main { min-width: 0; padding: 1.5rem 0 3rem; }
main > * { max-width: 48rem; }
main > .wide, main > .diagram, main > .operation { max-width: none; }
h1 { font-size: 1.875rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.375rem; line-height: 1.3; margin: 2.5rem 0 0.75rem; overflow-wrap: anywhere; }
h3 { font-size: 1.125rem; margin: 2rem 0 0.5rem; overflow-wrap: anywhere; }
p, ul, ol { margin: 0.75rem 0; overflow-wrap: break-word; }
li { margin: 0.25rem 0; }
img { max-width: 100%; height: auto; }
blockquote { margin: 1rem 0; padding: 0.25rem 1rem; border-left: 0.25rem solid var(--accent); background: var(--accent-back); }
code { font: 0.875em/1.5 ui-monospace, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
:not(pre) > code { background: var(--code); border-radius: 0.25rem; padding: 0.0625rem 0.25rem; }
pre { background: var(--page); border: 1px solid var(--line); border-radius: 0.5rem; padding: 0.75rem 1rem; overflow-x: auto; line-height: 1.5; }
pre code { overflow-wrap: normal; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.9375rem; }
th, td { text-align: left; vertical-align: top; padding: 0.375rem 0.75rem; border: 1px solid var(--line); }
th { background: var(--page); }
th.right, td.right { text-align: right; }
th.center, td.center { text-align: center; }
td { min-width: 6rem; overflow-wrap: break-word; }
a.term { color: inherit; text-decoration: underline dotted var(--quiet); }
.path { color: var(--quiet); font-size: 0.875rem; margin: 0 0 0.25rem; }
.menu { padding: 1rem 0 2rem; font-size: 0.9375rem; border-top: 1px solid var(--line); }
.menu summary { font-weight: 600; padding: 0.375rem 0; cursor: pointer; }
.menu ul { list-style: none; margin: 0 0 0.5rem; padding: 0 0 0 0.75rem; }
.menu a { display: block; padding: 0.25rem 0.5rem; text-decoration: none; color: inherit; border-radius: 0.375rem; }
.menu a:hover { background: var(--accent-back); }
.menu a[aria-current] { background: var(--accent-back); color: var(--accent); font-weight: 600; }
.here { display: none; font-size: 0.875rem; }
.onward { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; border-top: 1px solid var(--line); margin-top: 3rem; padding-top: 1rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 1rem; padding: 0; list-style: none; max-width: 64rem; }
.say { border: 1px solid var(--line); border-left: 0.375rem solid var(--accent); border-radius: 0.5rem; padding: 0.75rem 1rem; margin: 0.75rem 0; background: var(--accent-back); }
.say p { margin: 0; }
.method { font: 700 0.8125rem/1.5 ui-monospace, 'DejaVu Sans Mono', monospace; border: 1px solid currentColor; border-radius: 0.375rem; padding: 0.0625rem 0.375rem; color: var(--accent); }
.operation { border-top: 1px solid var(--line); margin-top: 2.5rem; }
.operation h2 { margin-top: 1.5rem; }
.operation details { margin: 0.75rem 0; }
.operation summary { cursor: pointer; padding: 0.25rem 0; font-weight: 600; }
.diagram { margin: 1rem 0; overflow-x: auto; }
.diagram svg { display: block; }
.diagram rect { fill: var(--accent-back); stroke: var(--accent); }
.diagram text { fill: var(--text); font: 0.8125rem system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif; text-anchor: middle; }
.diagram text.start { text-anchor: start; }
.diagram .life { stroke: var(--line); }
.diagram .arrow { fill: none; stroke: var(--quiet); stroke-width: 1.5; }
.diagram .answer { stroke-dasharray: 5 4; }
.diagram .head { fill: var(--quiet); }
footer { padding: 1.5rem 1rem; color: var(--quiet); font-size: 0.875rem; border-top: 1px solid var(--line); text-align: center; }
@media (min-width: 60rem) {
  .frame { grid-template-columns: 16rem minmax(0, 1fr); }
  .menu { order: -1; border-top: 0; position: sticky; top: 3.75rem; align-self: start; max-height: calc(100vh - 3.75rem); overflow-y: auto; }
  .to-menu { display: none !important; }
}
@media (min-width: 84rem) {
  .frame.with-here { grid-template-columns: 16rem minmax(0, 1fr) 13rem; }
  .here { display: block; position: sticky; top: 3.75rem; align-self: start; max-height: calc(100vh - 3.75rem); overflow-y: auto; padding: 1.5rem 0; }
  .here ul { list-style: none; padding: 0; margin: 0.5rem 0; }
  .here a { display: block; padding: 0.1875rem 0; color: var(--quiet); text-decoration: none; overflow-wrap: anywhere; }
  .here a:hover { color: var(--accent); }
}
@media (max-width: 40rem) { .search { flex-basis: 100%; order: 3; } }
@media print { body > header, .menu, .here, .onward { display: none; } }
`;
