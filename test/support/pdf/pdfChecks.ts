import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { isInstalled } from '../../../main/cli/test.ts';
import { openPdf } from '../../../infrastructure/pdf/document.ts';
import { run } from '../programs/tools.ts';

export interface Expected {
  readonly original: Buffer;
  /** All, earlier ones too. */
  readonly signatures: number;
  readonly newPages: number;
}

/** Number of pages in the page tree. */
export function pageCount(pdf: Buffer): number {
  const document = openPdf(pdf);
  const pages = document.dictionary(document.catalog.entries.get('Pages'));
  return Number(document.value(pages?.entries.get('Count')));
}

/** Checks of every stamped PDF with the installed tools. */
export async function expectSound(
  directory: string,
  pdf: Buffer,
  { original, signatures, newPages }: Expected,
): Promise<string> {
  const path = join(directory, `${Math.random().toString(36).slice(2)}.pdf`);
  await writeFile(path, pdf);
  expect(pdf.subarray(0, original.length).equals(original), 'prefix').to.equal(true);
  expect(pageCount(pdf)).to.equal(pageCount(original) + newPages);
  if (isInstalled('qpdf')) {
    const { code, output } = await run('qpdf', '--check', path);
    expect(code, output).to.equal(0);
  }
  if (isInstalled('pdfsig')) {
    const { output } = await run('pdfsig', path);
    expect(output.match(/Signature Validation: Signature is Valid\./g), output).to.have.length(
      signatures,
    );
  }
  return path;
}
