import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isInstalled } from '../../main/cli/test.ts';
import { expectSound, pageCount } from '../support/pdf/pdfChecks.ts';
import { type PdfWorld, startPdfWorld, type TestSigner } from '../support/worlds/pdfWorld.ts';
import { onePage } from '../support/pdf/samplePdf.ts';
import { run } from '../support/programs/tools.ts';

/** A way to make real PDFs with somebody else's program. */
interface Producer {
  readonly name: string;
  readonly program: string;
  readonly package: string;
  /** Writes `<directory>/out.pdf`. */
  produce(directory: string): Promise<unknown>;
}

const html = `<!doctype html><meta charset="utf-8"><style>@page{size:A4 landscape}</style>
<h1>Гэрээ</h1><p>Өмчлөгч нь үүгээр…</p><a href="https://example.com">x</a>${'<p>Lorem</p>'.repeat(80)}`;

const postScript = `%!PS
/Times-Roman findfont 24 scalefont setfont
<</PageSize [300 500]>> setpagedevice 50 400 moveto (A contract) show showpage
<</PageSize [900 200]>> setpagedevice 50 100 moveto (Landscape) show showpage
`;

const tex = String.raw`\documentclass{article}\usepackage{hyperref}\begin{document}A contract\newpage More\end{document}`;

function qpdf(name: string, ...parameters: readonly string[]): Producer {
  return {
    name: `qpdf, ${name}`,
    program: 'qpdf',
    package: 'qpdf',
    produce: async (directory) => {
      const source = join(directory, 'in.pdf');
      await writeFile(source, onePage());
      return run('qpdf', ...parameters, source, join(directory, 'out.pdf'));
    },
  };
}

function ghostscript(level: string): Producer {
  return {
    name: `Ghostscript, PDF ${level}`,
    program: 'gs',
    package: 'ghostscript',
    produce: async (directory) => {
      const source = join(directory, 'in.ps');
      await writeFile(source, postScript);
      return run(
        ...(['gs', '-q', '-dBATCH', '-dNOPAUSE', '-sDEVICE=pdfwrite'] as const),
        ...[`-dCompatibilityLevel=${level}`, `-sOutputFile=${join(directory, 'out.pdf')}`, source],
      );
    },
  };
}

const producers: readonly Producer[] = [
  {
    name: 'cairo',
    program: 'pdftocairo',
    package: 'poppler-utils',
    produce: async (directory) => {
      const source = join(directory, 'in.pdf');
      await writeFile(source, onePage());
      return run('pdftocairo', '-pdf', source, join(directory, 'out.pdf'));
    },
  },
  {
    name: 'poppler',
    program: 'pdfunite',
    package: 'poppler-utils',
    produce: async (directory) => {
      const sources = [join(directory, '1.pdf'), join(directory, '2.pdf')];
      for (const source of sources) await writeFile(source, onePage({ page: '/Rotate 270' }));
      return run('pdfunite', ...sources, join(directory, 'out.pdf'));
    },
  },
  qpdf('object and cross-reference streams', '--object-streams=generate'),
  qpdf('linearized', '--linearize'),
  qpdf('linearized with streams', '--linearize', '--object-streams=generate'),
  qpdf('PDF 2.0', '--force-version=2.0', '--object-streams=generate'),
  qpdf('PDF 1.4 for reading by hand', '--qdf', '--force-version=1.4'),
  ghostscript('1.4'),
  ghostscript('1.5'),
  ghostscript('1.7'),
  {
    name: 'Chromium',
    program: 'chromium',
    package: 'chromium',
    produce: async (directory) => {
      const source = join(directory, 'in.html');
      await writeFile(source, html);
      return run(
        ...(['chromium', '--headless', '--no-sandbox', '--disable-gpu'] as const),
        ...[`--user-data-dir=${join(directory, 'profile')}`, '--no-pdf-header-footer'],
        ...[`--print-to-pdf=${join(directory, 'out.pdf')}`, source],
      );
    },
  },
  {
    name: 'LibreOffice',
    program: 'soffice',
    package: 'libreoffice-writer',
    produce: async (directory) => {
      const source = join(directory, 'out.html');
      await writeFile(source, html);
      return run('soffice', '--headless', '--convert-to', 'pdf', '--outdir', directory, source);
    },
  },
  {
    name: 'TeX',
    program: 'pdflatex',
    package: 'texlive-latex-base',
    produce: async (directory) => {
      const source = join(directory, 'out.tex');
      await writeFile(source, tex);
      return run('pdflatex', `-output-directory=${directory}`, source);
    },
  },
];

describe('Stamping real PDFs', function () {
  this.timeout(120_000);
  let world: PdfWorld;
  let signer: TestSigner;
  let directory: string;

  before(async () => {
    world = await startPdfWorld();
    signer = await world.newSigner('P-256');
    directory = await mkdtemp(join(tmpdir(), 'tamga-corpus-'));
  });

  after(async () => {
    await world.stop();
    await rm(directory, { recursive: true, force: true });
  });

  for (const producer of producers) {
    it(`takes one made by ${producer.name}`, async function () {
      if (!isInstalled(producer.program)) {
        console.log(`      ${producer.program} is missing (package ${producer.package}): skipped`);
        this.skip();
      }
      const place = await mkdtemp(join(directory, 'made-'));
      await producer.produce(place);
      const original = await readFile(join(place, 'out.pdf'));
      const digest = createHash('sha256').update(original).digest();
      const session = await world.signed(signer, digest);
      const stamped = await world.stamping.stamp(Buffer.from(original), session, 'Гэрээ.pdf');
      if ('refused' in stamped) throw new Error(`${stamped.refused}: ${String(stamped.detail)}`);
      const path = await expectSound(place, stamped.pdf, {
        original,
        signatures: 1,
        newPages: 1,
      });
      if (!isInstalled('pdftotext')) return;
      const last = String(pageCount(stamped.pdf));
      const { output } = await run('pdftotext', '-f', last, '-l', last, path, '-');
      expect(output).to.contain('Дорж Өлзий').and.to.contain(session.sessionId);
    });
  }
});
