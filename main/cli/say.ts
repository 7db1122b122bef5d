/** Prints a line. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
