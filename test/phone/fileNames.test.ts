import { expect } from 'chai';
import { fileNameOf } from '../../apps/phone/session.ts';

describe('The name of a file in the phone’s history', () => {
  it('is of a batch that of each document, or its text', () => {
    const document = { digest: 'AAAA', hashType: 'SHA256', documentWarnings: [] };
    const documents = [
      { ...document, displayText60: 'Lease', fileName: 'lease.pdf' },
      { ...document, displayText60: 'Annex', fileName: null },
    ];
    expect(fileNameOf({ fileName: null, documents })).to.equal('lease.pdf, Annex');
    expect(fileNameOf({ fileName: 'a.pdf' })).to.equal('a.pdf');
    expect(fileNameOf({ fileName: null })).to.equal(null);
  });
});
