import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { KeyType } from './crypto.ts';
import { asksForCodeChoice, codeChoice, printable } from './interactions.ts';
import { createPhone, type Phone } from './phone.ts';
import { createFilePhoneStore } from './phoneStore.ts';
import { PinError } from './pinKeys.ts';
import type { SignalsAsked } from './riskSignals.ts';
import { ServiceError } from './service.ts';
import { askedBy, type BatchDocument, type PhoneRequest, returnTo } from './session.ts';
import type { Notice } from './sessionCalls.ts';

export interface InteractiveOptions {
  readonly baseUrl: string;
  /** Directory of phones, one file each. */
  readonly directory: string;
  readonly input: Readable;
  readonly output: Writable;
  readonly fetchImpl?: typeof fetch;
}

/** Input by line; null at its end. */
interface Dialogue {
  say(text: string): void;
  ask(question: string): Promise<string | null>;
  /** Reads a line while other work goes on. */
  nextLine(): Promise<string | null>;
  close(): void;
}

/**
 * Phone in the terminal: choose or enrol a citizen, wait for requests, show text and code, answer
 * with a PIN. Ends with its input, or on `q`.
 */
export async function runInteractivePhone(options: InteractiveOptions): Promise<void> {
  const dialogue = createDialogue(options.input, options.output);
  try {
    const phone = await choosePhone(dialogue, options);
    if (phone !== null) await liveWith(phone, dialogue);
  } finally {
    dialogue.close();
  }
}

async function choosePhone(dialogue: Dialogue, options: InteractiveOptions): Promise<Phone | null> {
  const files = await phoneFiles(options.directory);
  files.forEach((file, index) => dialogue.say(`${index + 1}  ${file.replace(/\.json$/, '')}`));
  const choice =
    files.length === 0 ? 'n' : await dialogue.ask('Which phone? (number, or n for a new one) ');
  if (choice === null || choice === 'q') return null;
  const file = files[Number(choice) - 1];
  return file === undefined
    ? enrolNew(dialogue, options)
    : openPhone(options, file.replace(/\.json$/, ''));
}

async function phoneFiles(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith('.json')).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function openPhone(options: InteractiveOptions, name: string, keyType?: KeyType): Phone {
  return createPhone({
    baseUrl: options.baseUrl,
    store: createFilePhoneStore(join(options.directory, `${name}.json`)),
    ...(keyType === undefined ? {} : { keyType }),
    ...(options.fetchImpl === undefined ? {} : { fetchImpl: options.fetchImpl }),
  });
}

const questions = [
  ['identifier', 'Civil id or registration number: '],
  ['cardNumber', 'Number of the identity card: '],
  ['birthDate', 'Date of birth (YYYY-MM-DD): '],
  ['keyType', 'Keys, P-256 or RSA [P-256]: '],
  ['pin1', 'Choose PIN1 (4 digits, for logging in): '],
  ['pin2', 'Choose PIN2 (5 digits, for signing): '],
] as const;

async function enrolNew(dialogue: Dialogue, options: InteractiveOptions): Promise<Phone | null> {
  const answers: Record<string, string> = {};
  for (const [field, question] of questions) {
    const line = await dialogue.ask(question);
    if (line === null) return null;
    answers[field] = line;
  }
  const { identifier = '', cardNumber = '', birthDate = '', pin1 = '', pin2 = '' } = answers;
  const keyType = /rsa/i.test(answers['keyType'] ?? '') ? 'RSA' : 'P-256';
  const name = identifier.replace(/[^\p{L}\p{N}-]/gu, '');
  const phone = openPhone(options, `${name}-${Date.now()}`, keyType);
  try {
    const { etsi, documentNumber } = await phone.enrol({
      card: { identifier, cardNumber, birthDate },
      pin1,
      pin2,
    });
    dialogue.say(`Enrolled: ${etsi}, document number ${documentNumber}`);
    return phone;
  } catch (error) {
    dialogue.say(`Not enrolled: ${messageOf(error)}`);
    return null;
  }
}

/** @param seen ids of notices and sessions shown before */
async function tellNews(
  phone: Phone,
  dialogue: Dialogue,
  seen: string[],
): Promise<readonly Notice[]> {
  const notices = await phone.notices().catch(() => []);
  for (const { noticeId, device, right, organization = null } of notices) {
    if (seen.includes(noticeId)) continue;
    seen.push(noticeId);
    if (device !== null) {
      dialogue.say(
        `Таны нэр дээр өөр утас бүртгэлтэй байна. Another phone is enrolled in your name (${device.platform}, ${device.enrolledAt}).`,
      );
      dialogue.say(
        device.mayEnd
          ? `  x ${noticeId} PIN1: it was not me`
          : '  If it is not yours, ask the operators of the service to end it.',
      );
    }
    if (right !== null) {
      const who = printable(right.personName ?? right.personEtsi);
      dialogue.say(`${printable(right.orgName)}: ${who}: ${right.change}`);
    }
    if (organization !== null) {
      const { orgName, orgNameEn, change } = organization;
      dialogue.say(`${printable(orgName)} (${printable(orgNameEn ?? '–')}): ${change}`);
    }
  }
  return notices;
}

async function disown(
  phone: Phone,
  dialogue: Dialogue,
  notice: Notice | undefined,
  pin1: string,
): Promise<void> {
  if (notice === undefined) {
    dialogue.say('There is no such notice.');
    return;
  }
  try {
    await phone.disown(notice, pin1);
    dialogue.say('The other phone is stopped, and no other can be enrolled for a time.');
  } catch (error) {
    dialogue.say(messageOf(error));
  }
}

async function liveWith(phone: Phone, dialogue: Dialogue): Promise<void> {
  const seen: string[] = [];
  dialogue.say('Waiting for requests. Paste a device link to open it; q ends.');
  let line = dialogue.nextLine();
  for (;;) {
    const notices = await tellNews(phone, dialogue, seen);
    const leaving = new AbortController();
    const inbox = phone
      .inbox({ seen: seen.slice(-20), signal: leaving.signal })
      .catch((error: unknown) => error);
    const happened = await Promise.race([inbox, line.then((typed) => ({ typed }))]);
    if (isTyped(happened)) {
      leaving.abort();
      if (happened.typed === null || happened.typed.trim() === 'q') return;
      const [, disowned, pin1] = /^x (\S+) (\d+)$/.exec(happened.typed.trim()) ?? [];
      if (disowned !== undefined && pin1 !== undefined) {
        const notice = notices.find(({ noticeId }) => noticeId === disowned);
        await disown(phone, dialogue, notice, pin1);
      } else if (happened.typed.trim() !== '') await attend(phone, dialogue, happened.typed);
      line = dialogue.nextLine();
    } else if (Array.isArray(happened)) {
      for (const sessionId of happened as string[]) {
        seen.push(sessionId);
        // The line already being read answers the question about this request.
        const isRead = await attend(phone, dialogue, sessionId, line);
        line = isRead ? dialogue.nextLine() : line;
      }
    } else {
      dialogue.say(
        `No connection to the service: ${messageOf(happened)} Press Enter to try again.`,
      );
      await line;
      line = dialogue.nextLine();
    }
  }
}

function isTyped(value: unknown): value is { readonly typed: string | null } {
  return typeof value === 'object' && value !== null && 'typed' in value;
}

/**
 * @param pending a line already being read: the first answer
 * @returns true when that line was used
 */
async function attend(
  phone: Phone,
  dialogue: Dialogue,
  linkOrId: string,
  pending?: Promise<string | null>,
): Promise<boolean> {
  let isRead = false;
  try {
    const request = await phone.open(linkOrId);
    show(dialogue, request);
    if (request.interaction === null && request.kind !== 'CERTIFICATE_CHOICE') {
      const reason = 'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP';
      dialogue.say(`Result: ${await phone.refuse(request.sessionId, reason)}`);
      return isRead;
    }
    if (request.pin !== null) phone.showsPin(request.sessionId);
    let answer = await (pending ?? dialogue.nextLine());
    isRead = true;
    while (!(await act(phone, dialogue, request, answer))) answer = await dialogue.nextLine();
  } catch (error) {
    dialogue.say(messageOf(error));
  }
  return isRead;
}

function show(dialogue: Dialogue, request: PhoneRequest): void {
  const { subsystem, interaction, fileName, kind, onBehalfOf, ...rest } = request;
  const asking = askedBy(request);
  const who = subsystem === null ? asking : `${asking} (${printable(subsystem)})`;
  dialogue.say('');
  if (kind === 'CERTIFICATE_CHOICE') {
    dialogue.say(`${who} asks for your signing certificate, to prepare what you will sign`);
    dialogue.say('y gives it; n refuses; x: it was not me; u: this phone cannot; Enter: ignore');
    return;
  }
  dialogue.say(`${who} asks you to ${kind === 'AUTHENTICATION' ? 'log in' : 'sign'}`);
  if (onBehalfOf !== null) {
    const { orgName, orgEtsi, role, rightType } = onBehalfOf;
    dialogue.say(
      `  On behalf of ${printable(orgName)} (${orgEtsi}), as ${printable(role ?? rightType)}`,
    );
  }
  if (fileName !== null) dialogue.say(`  File: ${printable(fileName)}`);
  if (rest.documentWarnings.length > 0) {
    dialogue.say(
      `  Warning: the document may show something else later. It has ${rest.documentWarnings.map(wordsOf).join(', ')}`,
    );
  }
  dialogue.say(
    `  ${interaction === null ? 'This phone cannot show what is asked.' : printable(interaction.text)}`,
  );
  rest.documents?.forEach((document, index) => dialogue.say(lineOf(document, index + 1)));
  showSignals(dialogue, rest.riskSignals);
  if (interaction === null) return;
  if (asksForCodeChoice(interaction)) {
    dialogue.say(`  Codes: ${codeChoice(request.verificationCode).join('  ')}`);
    dialogue.say(
      `The code you see elsewhere and ${request.pin} confirm; n refuses; x: it was not me; Enter: ignore`,
    );
    return;
  }
  dialogue.say(`  Code: ${request.verificationCode}`);
  dialogue.say(
    `${request.pin} confirms; n refuses; x: it was not me; w: the code is another; u: this phone cannot; Enter: ignore`,
  );
}

/** A document of a batch. @param position from 1 */
function lineOf(
  { displayText60, fileName, documentWarnings: warnings }: BatchDocument,
  position: number,
): string {
  const file = fileName === null ? '' : ` (${printable(fileName)})`;
  const warning =
    warnings.length === 0 ? '' : ` Warning: it has ${warnings.map(wordsOf).join(', ')}`;
  return `  ${position}. ${printable(displayText60)}${file}${warning}`;
}

function showSignals(dialogue: Dialogue, asked: SignalsAsked | null = null): void {
  if (asked === null) return;
  const names = asked.names.map(printable).join(', ');
  dialogue.say(
    asked.required
      ? `  Confirming tells them of this phone: ${names}`
      : `  They ask about this phone: ${names}. A space and t behind the PIN tells them.`,
  );
}

/** A name of the service's as words: `HIDDEN_LAYERS` is `hidden layers`. */
function wordsOf(name: string): string {
  return printable(name.toLowerCase().replaceAll('_', ' '));
}

/** @returns true when the request is finished */
async function act(
  phone: Phone,
  dialogue: Dialogue,
  request: PhoneRequest,
  line: string | null,
): Promise<boolean> {
  const answer = line?.trim() ?? '';
  if (answer === '') return true;
  try {
    const result = await send(phone, request, answer);
    dialogue.say(result === null ? howTo(request) : `Result: ${result}`);
    const address = result === null ? null : returnTo(request);
    if (address !== null) dialogue.say(`Return to: ${address}`);
    return result !== null;
  } catch (error) {
    dialogue.say(messageOf(error));
    if (!(error instanceof PinError)) return true;
    if (error.attemptsLeft === 0) await endLocked(phone, dialogue, request, error);
    return error.attemptsLeft === 0;
  }
}

/** Ends the request, which no other PIN can answer, and tells the way out. */
async function endLocked(
  phone: Phone,
  dialogue: Dialogue,
  request: PhoneRequest,
  { restsUntil }: PinError,
): Promise<void> {
  const isLost = restsUntil === null;
  if (isLost && request.pin !== null) {
    await phone.reportLocked(request.pin).catch(() => undefined);
  }
  const result = await phone.refuse(request.sessionId, 'DOCUMENT_UNUSABLE');
  dialogue.say(`Result: ${result}`);
  dialogue.say(
    isLost
      ? 'This PIN stays locked: enrol a new phone (start again, and choose n).'
      : 'Then there are three more attempts. Who forgot the PIN enrols a new phone (start again, and choose n).',
  );
}

function howTo({ kind }: PhoneRequest): string {
  return kind === 'CERTIFICATE_CHOICE' ? 'Type y or n.' : 'Type the code, a space and the PIN.';
}

/** @returns end result of the session; null when the answer is incomplete */
async function send(phone: Phone, request: PhoneRequest, answer: string): Promise<string | null> {
  switch (answer) {
    case 'n':
      return phone.refuse(request.sessionId, 'USER_REFUSED');
    case 'x':
      return phone.refuse(request.sessionId, 'USER_REFUSED_NOT_ME');
    case 'w':
      return phone.refuse(request.sessionId, 'WRONG_VC');
    case 'u':
      return phone.refuse(request.sessionId, 'DOCUMENT_UNUSABLE');
    default:
      if (request.kind === 'CERTIFICATE_CHOICE') {
        return answer === 'y' ? phone.giveCertificate(request) : null;
      }
      return confirmTyped(phone, request, answer);
  }
}

/** @param answer code picked by the citizen where it is chosen, PIN, and `t` to tell signals */
async function confirmTyped(
  phone: Phone,
  request: PhoneRequest,
  answer: string,
): Promise<string | null> {
  const words = answer.split(/\s+/);
  const code = asksForCodeChoice(request.interaction) ? words.shift() : request.verificationCode;
  const [pin, last] = words;
  if (pin === undefined) return null;
  return code === request.verificationCode
    ? phone.confirm(request, pin, last === 't')
    : phone.refuse(request.sessionId, 'WRONG_VC');
}

function messageOf(error: unknown): string {
  if (error instanceof ServiceError || error instanceof PinError) return error.message;
  return error instanceof Error ? error.message : 'The request failed: unknown error.';
}

function createDialogue(input: Readable, output: Writable): Dialogue {
  const lines: Interface = createInterface({ input, output, terminal: false });
  const typed: string[] = [];
  const waiting: ((line: string | null) => void)[] = [];
  let ended = false;
  lines.on('line', (line) => {
    const next = waiting.shift();
    if (next === undefined) typed.push(line);
    else next(line);
  });
  lines.on('close', () => {
    ended = true;
    for (const next of waiting.splice(0)) next(null);
  });
  const nextLine = () =>
    new Promise<string | null>((resolve) => {
      const line = typed.shift();
      if (line !== undefined) resolve(line);
      else if (ended) resolve(null);
      else waiting.push(resolve);
    });
  return {
    say: (text) => void output.write(`${text}\n`),
    ask: (question) => {
      output.write(question);
      return nextLine();
    },
    nextLine,
    close: () => lines.close(),
  };
}
