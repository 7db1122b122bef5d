/**
 * Style from 320 px up, light or dark by the system's setting, without external pictures or fonts.
 */
export const style = `:root {
  color-scheme: light dark;
  --page: #f4f5f7;
  --card: #ffffff;
  --text: #1b1f24;
  --quiet: #57606a;
  --line: #d8dee4;
  --good: #116329;
  --good-back: #dafbe1;
  --bad: #a40e26;
  --bad-back: #ffebe9;
  --open: #6b5200;
  --open-back: #fff8c5;
  --link: #0550ae;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d1117;
    --card: #161b22;
    --text: #e6edf3;
    --quiet: #9da7b3;
    --line: #30363d;
    --good: #7ee787;
    --good-back: #12261e;
    --bad: #ff9492;
    --bad-back: #301a1f;
    --open: #f0c674;
    --open-back: #272115;
    --link: #79c0ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif;
}
main, header, footer { max-width: 46rem; margin: 0 auto; padding: 0 1rem; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: baseline; padding-top: 1rem; }
header p { margin: 0; font-weight: 600; flex: 1; }
nav a, nav span { margin-left: 0.75rem; }
a { color: var(--link); }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 0.25rem; }
h2 { font-size: 1.05rem; margin: 0; }
section {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  padding: 1rem;
  margin: 1rem 0;
}
section p { margin: 0.25rem 0 0; }
.verdict { border-left-width: 0.5rem; }
.verdict.passed { border-color: var(--good); background: var(--good-back); }
.verdict.passed h1 { color: var(--good); }
.verdict.failed { border-color: var(--bad); background: var(--bad-back); }
.verdict.failed h1 { color: var(--bad); }
.verdict.open { border-color: var(--open); background: var(--open-back); }
.verdict.open h1 { color: var(--open); }
ol { list-style: none; margin: 1rem 0; padding: 0; }
.check { display: flex; gap: 0.75rem; align-items: flex-start; }
.check > div { flex: 1; min-width: 0; }
.result {
  flex: none;
  min-width: 2rem;
  height: 2rem;
  border-radius: 1rem;
  display: grid;
  place-items: center;
  font-weight: 700;
}
.result.passed { color: var(--good); background: var(--good-back); }
.result.failed { color: var(--bad); background: var(--bad-back); }
.result.open { color: var(--open); background: var(--open-back); }
.question { color: var(--quiet); }
dl { margin: 0.5rem 0 0; }
dl > div { padding: 0.25rem 0; border-top: 1px solid var(--line); }
section > dl { margin: 0; }
section > dl > div:first-child { border-top: 0; }
dt { color: var(--quiet); font-size: 0.875rem; }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: 0.875rem/1.4 ui-monospace, 'DejaVu Sans Mono', monospace; }
.file { border-style: dashed; }
.file.over { border-color: var(--link); }
.file[hidden] { display: none; }
.file label { display: block; padding: 0.75rem 0; }
.file input { display: block; margin-top: 0.5rem; max-width: 100%; color: inherit; font: inherit; }
.file output { display: block; font-weight: 600; min-height: 1.5rem; }
.file .same, .file .stamped { color: var(--good); }
.file .different { color: var(--bad); }
.file .altered { color: var(--bad); background: var(--bad-back); padding: 0.75rem; font-size: 1.125rem; }
.file .added { border: 1px solid var(--bad); border-left-width: 0.5rem; padding: 0.5rem 0.75rem; }
.file .added ul { margin: 0.25rem 0; padding-left: 1.25rem; }
.file .added[hidden] { display: none; }
.file .unknown, .file .impossible { color: var(--open); }
footer { padding-bottom: 2rem; color: var(--quiet); font-size: 0.875rem; }
@media (min-width: 40rem) {
  dl > div { display: grid; grid-template-columns: 12rem 1fr; gap: 1rem; }
}
@media print {
  .file, nav { display: none; }
}
`;
