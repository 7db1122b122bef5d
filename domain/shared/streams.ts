import type { StreamCategory } from '../events.ts';

/** The stream of one aggregate, for example `session-6f9619ff-…`. */
export function streamOf(category: StreamCategory, id: string): string {
  return `${category}-${id}`;
}

/** The category a stream name begins with. */
export function categoryOf(stream: string): string {
  const hyphen = stream.indexOf('-');
  return hyphen < 0 ? stream : stream.slice(0, hyphen);
}

/** The aggregate's identifier in a stream name. */
export function identifierOf(stream: string): string {
  return stream.slice(stream.indexOf('-') + 1);
}
