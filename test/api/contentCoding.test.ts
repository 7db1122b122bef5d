import { expect } from 'chai';
import { codingFor } from '../../api/pages/contentCoding.ts';

describe('The content coding of a file (RFC 9110 §12.5.3)', () => {
  for (const [accepted, coding] of [
    [undefined, null],
    ['', null],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br; Q=0.5, gzip;q=0.5', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', null],
    ['*', 'br'],
    ['gzip;q=0', null],
    ['gzip;q=0.000, br;q=0', null],
    ['gzip;q=much', null],
    ['identity, br;q=0.9', null],
    ['identity;q=0.5, br;q=0.9', 'br'],
    ['zstd, identity;q=0', null],
  ] as const) {
    it(`is ${coding ?? 'none'} for ${accepted === undefined ? 'no header' : `"${accepted}"`}`, () => {
      const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
      expect(codingFor(headers)).to.equal(coding);
    });
  }
});
