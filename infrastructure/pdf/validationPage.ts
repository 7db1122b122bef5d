import encodeQr from 'qr';
import { localTime } from '../../domain/shared/localTime.ts';
import type { SignerMark, ValidationPage } from './stampContents.ts';
import { createDrawing, type Drawing, type Ink } from './drawing.ts';
import type { PageTemplate } from './pageTemplate.ts';

/** A4, points. */
export const pageSize = { width: 595.28, height: 841.89 };
/** The frame of one signer, points. */
export const markSize = { width: 499, height: 124 };
/** Signers that fit on a page. */
export const marksPerPage = 4;

const LEFT = 48;
const documentFrame = { bottom: 640, height: 92 };
const TOP_OF_MARKS = 628;
const GAP = 6;

const ink: Readonly<Record<'dark' | 'accent' | 'quiet' | 'line' | 'panel' | 'white', Ink>> = {
  dark: 0x1b2430,
  accent: 0x14466e,
  quiet: 0x667180,
  line: 0xc9d2dc,
  panel: 0xf1f4f8,
  white: 0xffffff,
};

/** Frame of the signer numbered `index` (from 0): left, bottom, right, top. */
export function markRectangle(index: number): readonly [number, number, number, number] {
  const top = TOP_OF_MARKS - index * (markSize.height + GAP);
  return [LEFT, top - markSize.height, LEFT + markSize.width, top];
}

/** Layout shared by all pages, points; drawn by `./tamga docs`. */
export const pageLayout = { left: LEFT, width: markSize.width, documentFrame, ink };

/** Text over the template: the document, its first signer, verification instructions. A content stream. */
export function drawValidationPage(template: PageTemplate, page: ValidationPage): Buffer {
  const drawing = createDrawing(template);
  drawing.text(page.operator, {
    left: LEFT + markSize.width - drawing.widthOf(page.operator, 11),
    base: 766,
    size: 11,
    bold: true,
    color: ink.accent,
  });
  drawing.text('Electronic signature validation', {
    left: LEFT,
    base: 747,
    size: 9.5,
    color: ink.quiet,
  });
  drawDocument(drawing, page);
  const [left, bottom] = markRectangle(0);
  drawMark(drawing, page.mark, { left, bottom });
  drawFooter(drawing, page);
  return drawing.content();
}

/** A further signer on an existing validation page: a content stream of the size of a frame. */
export function drawSignerMark(template: PageTemplate, mark: SignerMark): Buffer {
  const drawing = createDrawing(template);
  drawMark(drawing, mark, { left: 0, bottom: 0 });
  return drawing.content();
}

function drawDocument(drawing: Drawing, { document }: ValidationPage): void {
  const left = LEFT + 16;
  label(drawing, { mn: 'Баримт бичиг', en: 'Document', left, base: 716 });
  const lines = drawing.wrap(document.fileName ?? 'Нэргүй баримт · Unnamed document', {
    width: markSize.width - 32,
    size: 11.5,
    lines: 2,
  });
  lines.forEach((line, index) => {
    const base = 701 - index * 13;
    drawing.text(line, { left, base, size: 11.5, bold: true, color: ink.dark });
  });
  label(drawing, { mn: 'Хэш', en: `Digest, ${document.hash}`, left, base: 672 });
  const groups = document.digest.match(/.{1,8}/g) ?? [];
  [groups.slice(0, 8), groups.slice(8)].forEach((row, index) => {
    const base = 659 - index * 11;
    drawing.text(row.join(' '), { left, base, size: 8.5, color: ink.dark });
  });
}

interface Corner {
  readonly left: number;
  readonly bottom: number;
}

const LABEL_WIDTH = 118;

function drawMark(drawing: Drawing, mark: SignerMark, { left, bottom }: Corner): void {
  drawing.frame({ left, bottom, ...markSize }, ink.line);
  const top = bottom + markSize.height;
  const inner = left + 16;
  const textWidth = markSize.width - 152;
  const { surname, givenName, surnameLatin, givenNameLatin } = mark.signer;
  const [name = ''] = drawing.wrap(`${surname} ${givenName}`.trim(), {
    width: textWidth,
    size: 13,
    lines: 1,
  });
  drawing.text(name, { left: inner, base: top - 22, size: 13, bold: true, color: ink.dark });
  const [latin = ''] = drawing.wrap(`${surnameLatin} ${givenNameLatin}`.trim(), {
    width: textWidth,
    size: 8.5,
    lines: 1,
  });
  drawing.text(latin, { left: inner, base: top - 33, size: 8.5, color: ink.quiet });
  rowsOf(mark).forEach(({ mn, en, value }, index) => {
    const base = top - 49 - index * 12.6;
    label(drawing, { mn, en, left: inner, base });
    const [line = ''] = drawing.wrap(value, { width: textWidth - LABEL_WIDTH, size: 8, lines: 1 });
    drawing.text(line, { left: inner + LABEL_WIDTH, base, size: 8, color: ink.dark });
  });
  if (mark.verifyUrl === null) return;
  const side = 96;
  const corner = { left: left + markSize.width - side - 14, bottom: bottom + 20 };
  drawQr(drawing, mark.verifyUrl, { ...corner, side });
  const caption = 'Шалгах · Verify';
  const width = drawing.widthOf(caption, 7.5);
  drawing.text(caption, {
    left: corner.left + (side - width) / 2,
    base: bottom + 9,
    size: 7.5,
    color: ink.quiet,
  });
}

interface Row {
  readonly mn: string;
  readonly en: string;
  readonly value: string;
}

function rowsOf(mark: SignerMark): readonly Row[] {
  const { organization, certificate, sessionId } = mark;
  const behalf =
    organization === null
      ? []
      : [
          {
            mn: 'Төлөөлсөн',
            en: 'On behalf of',
            value: `${organization.name} · ${organization.etsi}`,
          },
        ];
  return [
    ...behalf,
    ...(mark.isSeal === true ? sealRows(mark) : signatureRows(mark)),
    { mn: 'Гэрчилгээ', en: 'Certificate', value: `${certificate.level} · ${certificate.serial}` },
    { mn: 'Хүсэлт гаргагч', en: 'Requested by', value: mark.relyingPartyName },
    ...(sessionId === null ? [] : [{ mn: 'Сесс', en: 'Session', value: sessionId }]),
  ];
}

function signatureRows({ signedAt, preparedAt }: SignerMark): readonly Row[] {
  return [
    signedAt === null
      ? { mn: 'Бэлтгэсэн', en: 'Prepared', value: shownTime(preparedAt) }
      : { mn: 'Гарын үсэг зурсан', en: 'Signed', value: shownTime(signedAt) },
  ];
}

function sealRows({ signer, preparedAt }: SignerMark): readonly Row[] {
  return [
    { mn: 'Тамга дарсан', en: 'Sealed by', value: signer.givenName },
    { mn: 'Хугацаа', en: 'Time', value: shownTime(preparedAt) },
  ];
}

function shownTime(iso: string): string {
  const time = new Date(iso);
  return `${localTime.format(time)} Улаанбаатар (${time.toISOString().slice(11, 19)} UTC)`;
}

interface Label {
  readonly mn: string;
  readonly en: string;
  readonly left: number;
  readonly base: number;
}

function label(drawing: Drawing, { mn, en, left, base }: Label): void {
  drawing.text(mn, { left, base, size: 8, color: ink.accent });
  const behind = left + drawing.widthOf(mn, 8) + 4;
  drawing.text(en, { left: behind, base, size: 6.5, color: ink.quiet });
}

function drawQr(
  drawing: Drawing,
  text: string,
  { left, bottom, side }: Corner & { readonly side: number },
): void {
  const modules = encodeQr(text, 'raw', { ecc: 'medium', border: 1 });
  const unit = side / modules.length;
  const dark = modules.flatMap((row, index) =>
    darkRuns(row).map(({ start, length }) => ({
      left: left + start * unit,
      // Slightly taller than its row, so that no viewer shows a gap between rows.
      bottom: bottom + side - (index + 1) * unit - 0.05,
      width: length * unit,
      height: unit + 0.1,
    })),
  );
  drawing.rectangles(dark, ink.dark);
}

function darkRuns(row: readonly boolean[]): readonly { start: number; length: number }[] {
  const found: { start: number; length: number }[] = [];
  row.forEach((dark, column) => {
    const last = found.at(-1);
    if (!dark) return;
    if (last !== undefined && last.start + last.length === column) last.length += 1;
    else found.push({ start: column, length: 1 });
  });
  return found;
}

const footers: Readonly<Record<ValidationPage['form'], readonly string[]>> = {
  DOCUMENT_SIGNER: [
    'Иргэн өмнөх хуудсуудад цахим гарын үсэг зурсан. Гарын үсэг, гэрчилгээ нь энэ файлд хавсаргасан нотолгоонд бий.',
    'The citizen signed the pages before this one; the signature and certificate are in the evidence attached to this file.',
  ],
  SIGNER: [
    'Энэ файлд иргэн өөрийн гэрчилгээгээр цахим гарын үсэг зурсан; PDF уншигчийн гарын үсгийн самбараас шалгана уу.',
    "The citizen signed this file itself with the citizen's own certificate; check it in the signature panel of your PDF reader.",
  ],
  SEAL: [
    'Энэ файлд байгууллага өөрийн гэрчилгээгээр цахим тамга дарсан; PDF уншигчийн гарын үсгийн самбараас шалгана уу.',
    "The organization sealed this file with the organization's own certificate; check it in the signature panel of your PDF reader.",
  ],
};

function drawFooter(drawing: Drawing, { form, mark }: ValidationPage): void {
  footers[form].forEach((line, index) => {
    const base = 75 - index * 11;
    drawing.text(line, { left: LEFT, base, size: 7.2, color: ink.quiet });
  });
  if (mark.verifyUrl === null) return;
  drawing.text(mark.verifyUrl, { left: LEFT, base: 50, size: 7.2, color: ink.accent });
}
