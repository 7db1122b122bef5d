import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';

/** Course of a ceremony: what is asked, answered and confirmed. No answer is a secret; those stay in files. */
export interface Script {
  tell(text: string): void;
  /** @returns the answer, which may be empty */
  ask(question: string): Promise<string>;
  /** @throws NotConfirmed unless the answer is `yes` */
  confirm(what: string): Promise<void>;
  /** All that was told, asked and answered, line by line. */
  transcript(): readonly string[];
  /** @throws Error when there are answers that nobody asked for */
  end(): void;
}

/** A step whose content was not confirmed. Nothing of the ceremony is kept then. */
class NotConfirmed extends Error {
  override readonly name = 'NotConfirmed';
}

/** @param answersFile lines `question: answer`; default: asks at the terminal */
export async function openScript(answersFile: string | undefined): Promise<Script> {
  return answersFile === undefined
    ? spokenScript()
    : answeredScript(await readFile(answersFile, 'utf8'), answersFile);
}

interface Answers {
  next(question: string): Promise<string>;
  end(): void;
}

function scriptOf({ next, end }: Answers, show: (text: string) => void): Script {
  const lines: string[] = [];
  const ask = async (question: string) => {
    const answer = (await next(question)).trim();
    lines.push(`${question}: ${answer}`);
    return answer;
  };
  return {
    tell(text) {
      lines.push(...text.split('\n'));
      show(text);
    },
    ask,
    async confirm(what) {
      const answer = await ask(`Confirm ${what}`);
      if (answer === 'yes') return;
      throw new NotConfirmed(`Not confirmed: ${what}. The ceremony ends and keeps nothing.`);
    },
    transcript: () => lines,
    end,
  };
}

function spokenScript(): Script {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const hint = (question: string) => (question.startsWith('Confirm ') ? ' (yes or no)' : '');
  // A question that is open when the terminal closes is answered by nobody.
  const closed = new Promise<never>((_, reject) =>
    terminal.once('close', () =>
      reject(new Error('The terminal was closed. The ceremony ends and keeps nothing.')),
    ),
  );
  closed.catch(() => undefined);
  return scriptOf(
    {
      next: (question) =>
        Promise.race([terminal.question(`${question}${hint(question)}: `), closed]),
      end: () => terminal.close(),
    },
    (text) => process.stdout.write(`${text}\n`),
  );
}

/**
 * Answers in the order of the questions, each line with its question, so that none is given to another.
 *
 * @param name of the file, in messages
 */
function answeredScript(text: string, name: string): Script {
  const lines = text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'));
  let at = 0;
  return scriptOf(
    {
      next(question) {
        const given = lines[at];
        if (given === undefined) {
          return Promise.reject(new Error(`${name} ends before it answers "${question}".`));
        }
        at += 1;
        if (given.line.startsWith(`${question}:`)) {
          return Promise.resolve(given.line.slice(question.length + 1));
        }
        return Promise.reject(
          new Error(`${name}, line ${given.number}: "${question}" is asked, not "${given.line}".`),
        );
      },
      end() {
        const left = lines[at];
        if (left === undefined) return;
        throw new Error(`${name}, line ${left.number}: nobody asked for "${left.line}".`);
      },
    },
    () => undefined,
  );
}

/** Answers to a question until an empty one. */
export async function askAll(script: Script, question: string): Promise<readonly string[]> {
  const answers: string[] = [];
  for (;;) {
    const answer = await script.ask(question);
    if (answer === '') return answers;
    answers.push(answer);
  }
}
