import {
  serialize,
  pdfDictionary,
  pdfName,
  pdfReference,
  type PdfObject,
} from '../../../infrastructure/pdf/objects.ts';

/** Writes a PDF of `pages` pages of text, about `bytes` long, like a simple producer. */
export function writeDocument(pages: number, bytes: number): Buffer {
  const filler = Math.max(0, Math.floor(bytes / pages) - 420);
  const objects: (PdfObject | Buffer)[] = [
    pdfDictionary({ Type: pdfName('Catalog'), Pages: pdfReference(2) }),
    pdfDictionary({
      Type: pdfName('Pages'),
      Count: pages,
      Kids: Array.from({ length: pages }, (_, page) => pdfReference(4 + 2 * page)),
      MediaBox: [0, 0, 595, 842],
      Resources: pdfDictionary({ Font: pdfDictionary({ F1: pdfReference(3) }) }),
    }),
    pdfDictionary({
      Type: pdfName('Font'),
      Subtype: pdfName('Type1'),
      BaseFont: pdfName('Helvetica'),
    }),
  ];
  for (let page = 0; page < pages; page += 1) {
    const line = `(Clause ${page + 1}: the parties agree on what follows.) Tj T*\n`;
    const text = `BT /F1 10 Tf 50 780 Td 12 TL\n${line.repeat(Math.ceil(filler / line.length))}ET`;
    objects.push(
      pdfDictionary({
        Type: pdfName('Page'),
        Parent: pdfReference(2),
        Contents: pdfReference(5 + 2 * page),
      }),
      Buffer.from(`<</Length ${text.length}>>\nstream\n${text}\nendstream`),
    );
  }
  return assemble(objects);
}

function assemble(objects: readonly (PdfObject | Buffer)[]): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')];
  const rows = ['0000000000 65535 f\r\n'];
  let at = 9;
  objects.forEach((object, index) => {
    const content = Buffer.isBuffer(object) ? object : serialize(object);
    const part = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      content,
      Buffer.from('\nendobj\n'),
    ]);
    rows.push(`${String(at).padStart(10, '0')} 00000 n\r\n`);
    parts.push(part);
    at += part.length;
  });
  const size = rows.length;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n${rows.join('')}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
