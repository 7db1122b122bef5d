import type { Html } from '../../../api/pages/html.ts';
import { flowchart } from './flowchart.ts';
import { sequence } from './sequence.ts';

/**
 * Draws a diagram of the part of Mermaid's language that the pages use, as SVG without styles of its own.
 *
 * @throws Error for a line it does not know
 */
export function diagram(source: string): Html {
  const [kind = '', ...lines] = source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (kind === 'sequenceDiagram') return sequence(lines);
  if (kind === 'flowchart TB') return flowchart(lines);
  throw new Error(`No diagram begins with "${kind}": sequenceDiagram and flowchart TB do.`);
}
