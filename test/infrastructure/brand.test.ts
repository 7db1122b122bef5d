import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { contrast } from '../../infrastructure/config/brandColours.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { readLogo } from '../../infrastructure/config/logoFile.ts';

const SVG = 'xmlns="http://www.w3.org/2000/svg"';

describe("The operator's name and look", () => {
  let directory: string;

  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'tamga-brand-'));
  });

  after(() => rmSync(directory, { recursive: true }));

  const configure = (environment: NodeJS.ProcessEnv) =>
    readConfig({ SVC_PROFILE: 'development', ...environment });

  function logoOf(content: string | Buffer) {
    const path = join(directory, 'logo');
    writeFileSync(path, content);
    return readLogo({ SVC_BRAND_LOGO: path });
  }

  it('compares colours as WCAG does', () => {
    expect(contrast('#ffffff', '#000000')).to.be.closeTo(21, 0.001);
    expect(contrast('#767676', '#ffffff')).to.be.closeTo(4.54, 0.01);
  });

  it('takes accents that are legible on every background, with or without the sign', () => {
    const config = configure({ SVC_BRAND_ACCENT: '7A1F5C', SVC_BRAND_ACCENT_DARK: '#f0a8d8' });
    expect(config.SVC_BRAND_ACCENT).to.equal('#7a1f5c');
  });

  it('refuses an accent that is not, and says on which background and by which ratio', () => {
    const accents = { SVC_BRAND_ACCENT: '#f0a8d8', SVC_BRAND_ACCENT_DARK: '#f0a8d8' };
    expect(() => configure(accents)).to.throw(
      'SVC_BRAND_ACCENT: has a contrast of 1.85 : 1 against the background card (#ffffff) of the light theme, but needs at least 4.5 : 1',
    );
    const both = { SVC_BRAND_ACCENT: '#7a1f5c', SVC_BRAND_ACCENT_DARK: '#7a1f5c' };
    expect(() => configure(both)).to.throw(/SVC_BRAND_ACCENT_DARK: .* of the dark theme/);
  });

  it('refuses an accent that is just legible on white and not on what is chosen', () => {
    const accents = { SVC_BRAND_ACCENT: '#757575', SVC_BRAND_ACCENT_DARK: '#f0a8d8' };
    expect(() => configure(accents))
      .to.throw(/background chosen \(#[0-9a-f]{6}\) of the light theme/)
      .and.not.match(/background card/);
  });

  it('needs one accent for each theme', () => {
    expect(() => configure({ SVC_BRAND_ACCENT: '#7a1f5c' })).to.throw(
      'SVC_BRAND_ACCENT_DARK: needed together with SVC_BRAND_ACCENT',
    );
    expect(() => configure({ SVC_BRAND_ACCENT: 'red' })).to.throw('must be a colour such as');
  });

  it('takes a plain picture as the logo', () => {
    expect(readLogo({ SVC_BRAND_LOGO: undefined })).to.equal(null);
    const declared = `<?xml version="1.0"?>\n<!-- made by hand -->\n<svg ${SVG}><path d="M0 0h1v1z" fill="url(#a)"/></svg>`;
    expect(logoOf(declared)?.contentType).to.equal('image/svg+xml');
    const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
    expect(logoOf(png)).to.deep.equal({ body: png, contentType: 'image/png' });
  });

  it('takes nothing else as the logo, and says what is wrong with it', () => {
    const refused: Readonly<Record<string, string | Buffer>> = {
      'neither an SVG nor a PNG': '<html><svg></svg></html>',
      'lacks xmlns': '<svg></svg>',
      'a script': `<svg ${SVG}><script>alert(1)</script></svg>`,
      'an event handler': `<svg ${SVG}\nonload="alert(1)"/>`,
      'a document type': `<svg ${SVG}><!ENTITY x ""></svg>`,
      'a foreign object': `<svg ${SVG}><foreignObject/></svg>`,
      'a link to elsewhere': `<svg ${SVG}><image href="https://elsewhere.example/x.png"/></svg>`,
      'a reference to elsewhere': `<svg ${SVG}><style>@import "x";</style></svg>`,
      'larger than 65536 bytes': Buffer.alloc(65_537, 'x'),
    };
    for (const [what, content] of Object.entries(refused)) {
      expect(() => logoOf(content), what)
        .to.throw(`SVC_BRAND_LOGO: `)
        .and.match(new RegExp(what));
    }
    expect(() => readLogo({ SVC_BRAND_LOGO: join(directory, 'none') })).to.throw(
      'SVC_BRAND_LOGO: the file it names cannot be read.',
    );
  });
});
