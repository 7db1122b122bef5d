import type { Command } from 'commander';

/** Hint of commander, whose nearest name may be one that nobody means: `cert` is nearer to `test` than to `certificate`. */
const HINT = /\(Did you mean [^)]+\)/u;

/**
 * Has every command below `program` refuse arguments that it would pass over, and say how it is called when it is called wrongly.
 */
export function explainWrongUsage(program: Command): void {
  // All commands share one configuration of output.
  program.configureOutput({
    outputError: (text, write) =>
      write(beginningWith(text, called(program, process.argv.slice(2)))),
  });
  explain(program, program.name());
}

/** Command that these words name, as far as they name one. */
function called(command: Command, [name, ...rest]: readonly string[]): Command {
  const found = command.commands.find((each) => each.name() === name);
  return found === undefined ? command : called(found, rest);
}

function explain(command: Command, path: string): void {
  const isGroup = command.commands.length > 0;
  command
    .allowExcessArguments(false)
    .showHelpAfterError(
      isGroup
        ? `Run ${path} --help to see the commands.`
        : `Usage: ${path} ${command.usage()}\nRun ${path} --help to see what each means.`,
    );
  for (const each of command.commands) explain(each, `${path} ${each.name()}`);
}

/** Prefers the commands whose names begin with the unknown one. */
function beginningWith(text: string, { commands }: Command): string {
  const [, unknown] = /^error: unknown command '([^']{2,})'/u.exec(text) ?? [];
  if (unknown === undefined) return text;
  const names = commands.map((each) => each.name()).filter((name) => name.startsWith(unknown));
  if (names.length === 0) return text;
  const hint = `(Did you mean ${names.join(' or ')}?)`;
  return HINT.test(text) ? text.replace(HINT, hint) : `${text.trimEnd()}\n${hint}\n`;
}
